#if os(Linux)
    import NetworkTransport
    import CCurl
    import Endpoints

    /// The differences between versions of libcurl that affect the engine.
    ///
    /// `Docs/Engine.md` describes them.
    struct LibraryQuirks: Sendable {
        /// Whether removing a handle during its name lookup returns at once. Before 7.87.0, libcurl waits for the thread that
        /// performs the lookup (curl#9147); such a handle is not removed until the lookup has ended.
        var abandonsLookups: Bool
        /// Whether removing a handle also closes its connection. Before 7.85.0, the connection stays open until libcurl checks
        /// its idle connections, which it does when the next one is opened (curl#9335); such a connection is shut down, and a
        /// check is triggered.
        var closesRemovedConnections: Bool
        /// Whether HTTP/3 is used: with versions since 8.22.0 that were built with it, and whose handshakes are observed. Earlier versions have
        /// other implementations of it, which were not tested.
        var speaksHTTP3: Bool
        /// Whether the protocols that a handshake offers can be chosen, and what it agrees on can be observed: with OpenSSL and libraries
        /// derived from it. Otherwise only HTTP/1.1 is offered.
        var watchesHandshakes: Bool
        /// Whether root certificates are passed in memory rather than in a file: since 7.77.0 (`CURLOPT_CAINFO_BLOB`).
        var takesRootsAsBytes: Bool

        static let current = LibraryQuirks(
            version: CurlLibrary.current.version, tls: CurlLibrary.current.tls, hasHTTP3: CurlLibrary.current.hasHTTP3)

        /// Creates the table for a version of libcurl.
        ///
        /// - Parameters:
        ///   - version: The number from `curl_version_info`, such as 0x075801 for 7.88.1.
        ///   - tls: The name of the TLS library, such as `OpenSSL/3.0.11`; empty without TLS.
        ///   - hasHTTP3: Whether libcurl was built with HTTP/3.
        init(
            version: UInt32, tls: String, canWatchHandshakes: Bool = ccurl_can_watch_handshakes() != 0, hasHTTP3: Bool = false
        ) {
            abandonsLookups = version >= 0x07_57_00
            closesRemovedConnections = version >= 0x07_55_00
            watchesHandshakes = canWatchHandshakes && CurlTrust.isEnforced(by: tls)
            speaksHTTP3 = hasHTTP3 && watchesHandshakes && version >= 0x08_16_00
            takesRootsAsBytes = version >= 0x07_4D_00
        }

        /// Whether HTTP/2 is offered.
        var speaksHTTP2: Bool { watchesHandshakes }

        /// Checks that a request can be sent over the version of HTTP that is required for its host.
        ///
        /// - Throws: ``TransportError/Code/httpVersionUnavailable``, or ``TransportError/Code/unsupported`` for trailers.
        func admit(_ request: NetworkRequest, _ rule: HTTPVersionRule) throws(TransportError) {
            guard rule == .http2 || rule == .http3 else { return }
            if request.requestsUpgrade, rule == .http3 || !request.requestsWebSocket {
                throw TransportError(
                    .unsupported, "Upgrade: httpVersion requires a version of HTTP that has none (RFC 9113 §8.6, RFC 9114 §4.2)",
                    request: request)
            }
            if rule == .http3 { return try admitHTTP3(request) }
            guard speaksHTTP2 || !request.parsedURL.isSecure else {
                throw TransportError(
                    .httpVersionUnavailable,
                    "httpVersion requires HTTP/2, which cannot be agreed on with \(CurlLibrary.current.name)",
                    request: request)
            }
        }

        private func admitHTTP3(_ request: NetworkRequest) throws(TransportError) {
            if request.body?.trailers != nil {
                throw request.trailersUnsupported("httpVersion requires HTTP/3, over which libcurl sends none")
            }
            guard speaksHTTP3 else {
                throw TransportError(
                    .httpVersionUnavailable, "httpVersion requires HTTP/3, which is not used with \(CurlLibrary.current.name)",
                    request: request)
            }
            guard request.parsedURL.isSecure else {
                throw TransportError(
                    .httpVersionUnavailable, "httpVersion requires HTTP/3, which there is for https only", request: request)
            }
        }
    }
#endif
