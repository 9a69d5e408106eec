/// Why bytes that a server sent make no response.
struct HTTP1Flaw: Error, Equatable, Sendable {
    /// What a caller branches on.
    enum Kind: Sendable {
        /// What came is not HTTP/1, or its framing cannot be trusted.
        case malformedResponse
        /// The limit of the head is exceeded, by interim responses and trailers too.
        case headersTooLarge
        /// The connection ended before the head was complete.
        case connectionLost
        /// The connection ended before the body did.
        case incompleteBody
    }

    let kind: Kind
    /// What is wrong, for people: names the field or the limit, never a field's value.
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    static func malformed(_ message: String) -> HTTP1Flaw {
        HTTP1Flaw(.malformedResponse, message)
    }

    /// The code of the error that callers see.
    var code: TransportError.Code {
        switch kind {
        case .malformedResponse: .malformedResponse
        case .headersTooLarge: .headersTooLarge
        case .connectionLost: .connectionLost
        case .incompleteBody: .incompleteBody
        }
    }
}
