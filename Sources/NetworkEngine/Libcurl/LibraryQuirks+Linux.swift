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
        /// Whether HTTP/2 is used: only if handshakes are observed, and with the versions in ``versionsWithHTTP2``.
        var speaksHTTP2: Bool
        /// Whether requests over HTTP/2 without TLS share connections. 7.88.1 uses a connection for each request; since 8.21.0 they are known
        /// to be shared.
        var sharesPlainConnections: Bool
        /// Whether HTTP/3 is used: with versions since 8.22.0 that were built with it, with the same conditions as HTTP/2. Earlier versions
        /// have other implementations of it, which were not tested.
        var speaksHTTP3: Bool
        /// Whether the protocol that a handshake agrees on can be observed: with OpenSSL and libraries derived from it. Otherwise
        /// only HTTP/1.1 is offered.
        var watchesHandshakes: Bool
        /// Whether root certificates are passed in memory rather than in a file: since 7.77.0 (`CURLOPT_CAINFO_BLOB`).
        var takesRootsAsBytes: Bool

        /// Whether HTTP/2 loses a response whose stream is reset in the same read, as by a server that responds before it has
        /// read the request's body (RFC 9113 §8.1): 7.88.0 to 8.0.1, and presumably versions before 7.88.0. Large bodies are then
        /// sent over HTTP/1.1.
        var losesEarlyResponses: Bool
        /// Whether HTTP/2 through the tunnel of an HTTP proxy continues to use a connection that has ended, so that each further
        /// request fails ("no filter connected"): 7.88.1, and presumably other versions before 8.1.0. HTTP/1.1 is then used.
        var keepsEndedTunnels: Bool
        /// Whether libcurl reports that a server refused a stream before it opens the stream again: since 8.21.0. Versions before
        /// 8.17.0 instead report an error when a kept connection was lost, and report nothing after a refusal.
        var saysRefusals: Bool

        /// The versions whose HTTP/2 delivers every byte that was received, buffers a limited number of bytes for a paused
        /// stream, continues other streams meanwhile without busy-waiting, and asks before it sends a request again. With other
        /// versions, HTTP/1.1 is used:
        ///
        /// - before 7.80.0, there is no callback before a request is sent (`CURLOPT_PREREQFUNCTION`), and before 7.83.0, the end
        ///   of a paused stream stalls the others (curl#8626);
        /// - 8.1.0 to 8.3.0 lose the bytes that a paused stream held when it was reset, or report it as complete (curl#11982);
        /// - 8.4.0 does not distinguish a refused stream from a lost connection;
        /// - 8.5.0 busy-waits while a stream is paused, and loses its last bytes (curl#12632, curl#12740);
        /// - 8.6.0 loses responses that are followed by the end of their connection (curl#12885);
        /// - 8.7.0 to 8.12.1 buffer everything that a server sends (curl commit f78700814d), and 8.6.0 to 8.8.0 busy-wait
        ///   (curl#13908);
        /// - 8.13.0 may not resume a stream that was paused (curl#16955);
        /// - 8.16.0 reports a framing error while other streams of the connection are cancelled, and presumably so does 8.15.0;
        /// - 8.17.0 to 8.20.0 busy-wait while a stream is paused (curl#21671).
        static let versionsWithHTTP2: [Range<UInt32>] = [
            0x07_53_00..<0x08_01_00, 0x08_0E_00..<0x08_0F_00, 0x08_15_00..<0xFF_FF_FF,
        ]

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
            speaksHTTP2 = watchesHandshakes && Self.versionsWithHTTP2.contains { $0.contains(version) }
            sharesPlainConnections = version >= 0x08_15_00
            speaksHTTP3 = hasHTTP3 && speaksHTTP2 && version >= 0x08_16_00
            keepsEndedTunnels = version < 0x08_01_00
            losesEarlyResponses = version < 0x08_01_00
            saysRefusals = version >= 0x08_15_00
            takesRootsAsBytes = version >= 0x07_4D_00
        }

        /// The number of bytes of header fields that libcurl sends over HTTP/2: nghttp2 sends no header block of more than 64 KiB
        /// (`NGHTTP2_MAX_HEADERSLEN`).
        var maximumHeaderBytesOfHTTP2: Int { 60_000 }

        /// Checks that a request can be sent over the version of HTTP that is required for its host.
        ///
        /// - Throws: ``TransportError/Code/httpVersionUnavailable``, or ``TransportError/Code/unsupported`` for trailers.
        func admit(_ request: NetworkRequest, _ rule: HTTPVersionRule) throws(TransportError) {
            guard rule == .http2 || rule == .http3 else { return }
            if request.requestsUpgrade {
                throw TransportError(
                    .unsupported, "Upgrade: httpVersion requires a version of HTTP that has none (RFC 9113 §8.6, RFC 9114 §4.2)",
                    request: request)
            }
            if request.body?.trailers != nil {
                throw request.trailersUnsupported("httpVersion requires a version of HTTP over which libcurl sends none")
            }
            if rule == .http3 { return try admitHTTP3(request) }
            guard speaksHTTP2 else {
                throw TransportError(
                    .httpVersionUnavailable, "httpVersion requires HTTP/2, which is not used with \(CurlLibrary.current.name)",
                    request: request)
            }
            let count = request.headerBytes
            guard count <= maximumHeaderBytesOfHTTP2 else {
                throw TransportError(
                    .httpVersionUnavailable,
                    "httpVersion requires HTTP/2, which sends at most \(maximumHeaderBytesOfHTTP2) bytes of header fields, not \(count)",
                    request: request)
            }
        }

        private func admitHTTP3(_ request: NetworkRequest) throws(TransportError) {
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

    extension NetworkRequest {
        /// The number of bytes of the names and values of all header fields.
        var headerBytes: Int { headers.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count } }
    }
#endif
