#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints
    import Foundation
    import NetworkSupport

    /// The version of the libcurl that this process uses. Read only once, because libcurl builds its description in a static buffer.
    struct CurlLibrary: Sendable {
        /// The versions of libcurl and its libraries, such as `libcurl/7.88.1 OpenSSL/3.0.11 zlib/1.2.13`.
        let description: String
        /// The version as a number, such as 0x075801 for 7.88.1.
        let version: UInt32
        /// The TLS library, such as `OpenSSL/3.0.11`; empty without TLS.
        let tls: String

        /// Whether it was built with HTTP/3.
        let hasHTTP3: Bool

        /// The name and the version, such as `libcurl 7.88.1`.
        var name: String { "libcurl \(version >> 16).\(version >> 8 & 0xFF).\(version & 0xFF)" }

        static let current = CurlLibrary()

        private static let globalResult: CInt = {
            defer { ProcessEnd.prepare() }
            return ccurl_global_init()
        }()
        /// Whether libcurl was initialized for this process.
        static var isReady: Bool { globalResult == 0 }

        private init() {
            description = String(cString: ccurl_version())
            version = ccurl_version_number()
            tls = String(cString: ccurl_tls_library())
            hasHTTP3 = Int(ccurl_features()) & CCURL_VERSION_HTTP3 != 0
        }
    }

    extension RouteOptions {
        /// Checks that libcurl can ask the name server.
        ///
        /// - Throws: ``TransportError/Code/invalidConfiguration`` if it was built without DNS over HTTPS.
        func requireNameServer() throws(TransportError) {
            guard let url = nameServer.url else { return }
            guard CurlLibrary.isReady, let handle = ccurl_easy_init() else {
                throw TransportError(.outOfResources, "no memory for a handle")
            }
            defer { ccurl_easy_cleanup(handle) }
            let result = url.absoluteString.withCString { ccurl_easy_set_string(handle, CInt(CCURLOPT_DOH_URL), $0) }
            guard Int(result) == CCURLE_OK, ccurl_easy_set_long(handle, CInt(CCURLOPT_DOH_SSL_VERIFYPEER), 1) == 0 else {
                throw Self.invalid("nameServer: \(CurlLibrary.current.name) cannot look up names over HTTPS")
            }
        }
    }
#endif
