#if os(Linux)
    import CCurl

    /// Which libcurl this process runs with. Asked once: libcurl puts its answers together in one place in memory.
    struct CurlLibrary: Sendable {
        /// Such as `libcurl/7.88.1 OpenSSL/3.0.11 zlib/1.2.13`.
        let description: String
        /// Such as 0x075801 for 7.88.1.
        let version: UInt32
        /// Such as `OpenSSL/3.0.11`; empty without TLS.
        let tls: String

        /// Such as `libcurl 7.88.1`.
        var name: String { "libcurl \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)" }

        static let current = CurlLibrary()

        private init() {
            description = String(cString: ccurl_version())
            version = ccurl_version_number()
            tls = String(cString: ccurl_tls_library())
        }
    }
#endif
