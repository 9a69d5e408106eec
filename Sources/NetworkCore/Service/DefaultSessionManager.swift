#if os(Linux)
    /// The default session manager of services: the engine of this package on Linux, `URLSession` on other platforms.
    public typealias DefaultSessionManager = SocketSessionManager
#else
    /// The default session manager of services: the engine of this package on Linux, `URLSession` on other platforms.
    public typealias DefaultSessionManager = URLSessionManager
#endif
