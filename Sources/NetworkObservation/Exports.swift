// What observes calls is placed by `RequestPipeline` of `NetworkPipeline`, so `import NetworkObservation` alone must be enough.
@_exported import NetworkPipeline
