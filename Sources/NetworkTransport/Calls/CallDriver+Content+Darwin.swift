#if !os(Linux)
    import Endpoints

    extension CallDriver {
        /// The value of the `Accept-Encoding` field to send with ``request``: the content codings that ``decoded(_:status:headers:)`` can decode.
        /// Always `nil` on Apple platforms.
        public var acceptEncoding: String? { nil }

        /// Returns the body of a response to ``request`` after content decoding (RFC 9110 §8.4). On Apple platforms it is returned unchanged.
        ///
        /// - Parameters:
        ///   - body: The bytes as received.
        ///   - status: The status of the response.
        ///   - headers: The header fields of the response.
        public func decoded(_ body: NetworkBody, status: Int, headers: HeaderFields) -> NetworkBody { body }
    }
#endif
