#if os(Linux)
    import CCurl

    /// What differs between the versions of libcurl that users have, in one table.
    ///
    /// `Docs/Engine.md` lists the same, in words.
    struct LibraryQuirks: Sendable {
        /// Whether removing a handle in the middle of its name lookup returns at once. Before 7.87.0 libcurl waits for the thread that looks
        /// the name up (curl#9147); such a handle is left alone until it is done.
        var letsGoOfLookups: Bool
        /// Whether a handle that is removed takes its connection with it. Before 7.85.0 it stays open until libcurl looks over its idle connections,
        /// which it does when the next one is made (curl#9335); such a connection is shut down, and a look provoked.
        var closesRemovedConnections: Bool
        /// Whether HTTP/2 is spoken: since 7.80.0, where libcurl asks before it sends a request again (`CURLOPT_PREREQFUNCTION`). Before, it
        /// would repeat a request of any method.
        var speaksHTTP2: Bool
        /// Whether handshakes tell what they agree on: with OpenSSL and what has grown out of it. Without, HTTP/1.1 alone is offered.
        var watchesHandshakes: Bool
        /// Whether roots are taken from memory rather than from a file: since 7.77.0 (`CURLOPT_CAINFO_BLOB`).
        var takesRootsAsBytes: Bool

        static let current = LibraryQuirks(version: CurlLibrary.current.version, tls: CurlLibrary.current.tls)

        /// - Parameters:
        ///   - version: As `curl_version_info` numbers it: 0x075801 for 7.88.1.
        ///   - tls: Such as `OpenSSL/3.0.11`; empty without TLS.
        init(version: UInt32, tls: String, canWatchHandshakes: Bool = ccurl_can_watch_handshakes() != 0) {
            letsGoOfLookups = version >= 0x07_57_00
            closesRemovedConnections = version >= 0x07_55_00
            watchesHandshakes = canWatchHandshakes && CurlTrust.isEnforced(by: tls)
            speaksHTTP2 = version >= 0x07_50_00 && watchesHandshakes
            takesRootsAsBytes = version >= 0x07_4D_00
        }
    }
#endif
