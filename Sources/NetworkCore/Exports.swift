// Requests, headers and loggers are in every signature here: `import NetworkCore` is enough to use it.
@_exported import Endpoints
@_exported import NetworkLogging
