extension DecodingError {
    /// The same error seen from the document's root: its coding path continues a key path.
    ///
    /// A pointer's token of digits counts as an index; ``JSONSlicer/locate(_:in:)`` hands out paths without tokens.
    package func prefixed(by path: JSONKeyPath) -> DecodingError {
        func rooted(_ context: Context) -> Context {
            Context(
                codingPath: path.components.map(JSONPathKey.init) + context.codingPath,
                debugDescription: context.debugDescription,
                underlyingError: context.underlyingError
            )
        }
        return switch self {
        case .typeMismatch(let type, let context): .typeMismatch(type, rooted(context))
        case .valueNotFound(let type, let context): .valueNotFound(type, rooted(context))
        case .keyNotFound(let key, let context): .keyNotFound(key, rooted(context))
        case .dataCorrupted(let context): .dataCorrupted(rooted(context))
        @unknown default: self
        }
    }
}

/// A step of a key path in a coding path, spelt as JSONDecoder spells its own.
private struct JSONPathKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ component: JSONKeyPath.Component) {
        switch component {
        case .key(let name): self.init(stringValue: name)
        case .index(let index): self.init(intValue: index)
        case .token(let token):
            if let index = JSONKeyPath.index(ofDigits: token.utf8) {
                self.init(intValue: index)
            } else {
                self.init(stringValue: token)
            }
        }
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        self.intValue = nil
    }

    init(intValue: Int) {
        self.stringValue = "Index \(intValue)"
        self.intValue = intValue
    }
}
