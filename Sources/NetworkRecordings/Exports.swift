// A recording is used with stubs and services, so `import NetworkRecordings` alone must be enough.
@_exported import NetworkTesting
