// Requests, responses and services are in every signature here: `import NetworkTesting` is enough to use it.
@_exported import DataTransfer
