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
        /// Whether HTTP/2 is spoken: where handshakes are watched, and by versions that keep what ``versionsWithHTTP2`` says.
        var speaksHTTP2: Bool
        /// Whether handshakes tell what they agree on: with OpenSSL and what has grown out of it. Without, HTTP/1.1 alone is offered.
        var watchesHandshakes: Bool
        /// Whether roots are taken from memory rather than from a file: since 7.77.0 (`CURLOPT_CAINFO_BLOB`).
        var takesRootsAsBytes: Bool

        /// Whether HTTP/2 loses a response whose stream is reset in the same read, as by a server that answers before it has read the request's body
        /// (RFC 9113 §8.1): 7.88.0 to 8.0.1, and versions before 7.88.0 are not known to do better. Large bodies are sent over HTTP/1.1.
        var losesEarlyResponses: Bool
        /// Whether HTTP/2 through the tunnel of an HTTP proxy goes on with a connection that has ended, and so fails each request from then on
        /// ("no filter connected"): 7.88.1, and other versions before 8.1.0 are not known to do better. There, HTTP/1.1 is spoken.
        var keepsEndedTunnels: Bool
        /// Whether libcurl says that a server refused a stream before it opens it anew: since 8.21.0. Versions before 8.17.0 call it an error
        /// instead when a kept connection was lost, and are silent after a refusal.
        var saysRefusals: Bool

        /// Versions whose HTTP/2 hands over each byte that came, holds a bounded number of them for a reader who stops, lets other streams go on
        /// meanwhile without keeping a processor busy, and asks before it sends a request again. With the others, HTTP/1.1 is spoken:
        ///
        /// - before 7.80.0 no question is asked (`CURLOPT_PREREQFUNCTION`), and before 7.83.0 the end of a stopped stream stalls the others (curl#8626);
        /// - 8.1.0 to 8.3.0 lose what a stopped stream held when it was reset, or call it whole (curl#11982);
        /// - 8.4.0 does not tell a refusal from a lost connection, neither by words nor by silence;
        /// - 8.5.0 turns in circles while a stream is stopped, and loses its last bytes (curl#12632, curl#12740);
        /// - 8.6.0 loses responses whose connection is closed behind them (curl#12885);
        /// - 8.7.0 to 8.12.1 hold all that a server sends (curl commit f78700814d), and 8.6.0 to 8.8.0 turn in circles (curl#13908);
        /// - 8.13.0 may not go on with a stream that was stopped (curl#16955);
        /// - 8.16.0 calls framing broken while other streams of the connection are cancelled, and 8.15.0 is not known to do better;
        /// - 8.17.0 to 8.20.0 turn in circles while a stream is stopped (curl#21671).
        static let versionsWithHTTP2: [Range<UInt32>] = [
            0x07_53_00..<0x08_01_00, 0x08_0E_00..<0x08_0F_00, 0x08_15_00..<0xFF_FF_FF,
        ]

        static let current = LibraryQuirks(version: CurlLibrary.current.version, tls: CurlLibrary.current.tls)

        /// - Parameters:
        ///   - version: As `curl_version_info` numbers it: 0x075801 for 7.88.1.
        ///   - tls: Such as `OpenSSL/3.0.11`; empty without TLS.
        init(version: UInt32, tls: String, canWatchHandshakes: Bool = ccurl_can_watch_handshakes() != 0) {
            letsGoOfLookups = version >= 0x07_57_00
            closesRemovedConnections = version >= 0x07_55_00
            watchesHandshakes = canWatchHandshakes && CurlTrust.isEnforced(by: tls)
            speaksHTTP2 = watchesHandshakes && Self.versionsWithHTTP2.contains { $0.contains(version) }
            keepsEndedTunnels = version < 0x08_01_00
            losesEarlyResponses = version < 0x08_01_00
            saysRefusals = version >= 0x08_15_00
            takesRootsAsBytes = version >= 0x07_4D_00
        }
    }
#endif
