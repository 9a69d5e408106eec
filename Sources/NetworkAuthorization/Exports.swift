// Credentials and signatures are used by interceptors of `NetworkPipeline`, so `import NetworkAuthorization` alone must be enough.
@_exported import NetworkPipeline
