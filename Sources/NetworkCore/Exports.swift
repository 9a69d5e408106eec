// Requests, headers and loggers are in every signature here: `import NetworkCore` is enough to use it.
@_exported import Endpoints
@_exported import NetworkLogging

// On Linux the URL-loading types are in a separate module; every other file imports Foundation alone.
#if canImport(FoundationNetworking)
    @_exported public import FoundationNetworking
#endif
