// Responses, errors and session managers are in every signature here: `import NetworkCore` is enough to use it.
@_exported import NetworkTransport

#if os(Linux)
    @_exported import NetworkEngine
#else
    @_exported import NetworkURLSession
#endif
