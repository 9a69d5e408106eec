#if os(Linux)
    /// The session manager of services that are not given one: libcurl on Linux, `URLSession` elsewhere.
    public typealias DefaultSessionManager = CurlSessionManager
#endif
