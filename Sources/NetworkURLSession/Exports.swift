// Requests, responses and URL-loading types are in the signatures here: `import NetworkURLSession` is enough to use it.
#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
@_exported import NetworkTransport
