import NetworkSupport

/// The media types of responses that an endpoint accepts (RFC 9110 §8.3, §12.5.1).
///
/// ```swift
/// var movies = Endpoint<[Movie]>(path: "movies")
/// movies.acceptedMediaTypes = .ofDecoder
/// ```
///
/// The types are sent as `Accept`, unless the request has that field. A response with another `Content-Type` is a
/// parsing failure of the data transfer service, which names the types and shows the redacted beginning of the body. Parameters, such as
/// `charset`, are ignored. A response without a `Content-Type`, or without a body, is accepted. Responses whose status the endpoint does
/// not accept are not checked.
///
/// An element is a media type (`application/json`), all types of a kind (`text/*`), all types (`*/*`), or all types with a
/// structured syntax suffix (`application/*+json`, RFC 6839). The last form is not sent, because `Accept` has no notation for it. Case
/// does not matter. At most 64 elements are allowed, and none of them has parameters; any other text is an error when the request is built.
public struct AcceptedMediaTypes: Sendable, Hashable, ExpressibleByArrayLiteral {
    private enum Rule: Hashable {
        case any
        case ofDecoder
        /// In lower case.
        case types([String])
    }

    /// The maximum number of elements.
    private static let maximumCount = 64

    private let rule: Rule

    /// Every media type: `Accept: */*` is sent, and nothing is checked. This is the default.
    public static let any = AcceptedMediaTypes(rule: .any)
    /// The media types that the decoder of the endpoint supports (``ResponseDecoder/acceptedMediaTypes``).
    ///
    /// It is the same as ``any`` for a request without a decoder, such as that of a stream. An endpoint that is created with a closure
    /// has the decoder `.json`, so that a list of types is the right choice if the closure decodes something else.
    public static let ofDecoder = AcceptedMediaTypes(rule: .ofDecoder)
    /// JSON: `application/json`, which is sent, and types that end with `+json`, such as `application/problem+json`.
    public static let json: AcceptedMediaTypes = ["application/json", "application/*+json"]

    private init(rule: Rule) {
        self.rule = rule
    }

    /// Creates a list of media types, in the order in which they are sent. An empty list is the same as ``any``.
    public init(_ types: [String]) {
        rule = types.isEmpty ? .any : .types(types.map(\.asciiLowercased))
    }

    /// Creates a list of media types: `["application/json", "text/*"]`. An empty list is the same as ``any``.
    public init(arrayLiteral elements: String...) {
        self.init(elements)
    }

    /// Returns whether a response with this `Content-Type` is accepted. Parameters are ignored. ``ofDecoder`` accepts every type here.
    public func contains(_ contentType: String) -> Bool {
        guard case .types(let types) = rule else { return true }
        let type = contentType.mediaType
        guard let (kind, subtype) = type.divided(at: "/"), String(kind).isToken, String(subtype).isToken else {
            return types.contains("*/*")
        }
        return types.contains { accepted in
            if accepted == type || accepted == "*/*" { return true }
            guard let (acceptedKind, pattern) = accepted.divided(at: "/"), acceptedKind == kind, pattern.utf8.first == 0x2A
            else { return false }
            let suffix = pattern.utf8.dropFirst()
            return suffix.isEmpty || subtype.utf8.count > suffix.count && subtype.utf8.suffix(suffix.count).elementsEqual(suffix)
        }
    }
}

extension AcceptedMediaTypes {
    /// Whether the types are those of the decoder.
    package var areOfDecoder: Bool { rule == .ofDecoder }

    /// Returns the error for a response with a body that has a `Content-Type` that is not accepted.
    package func failure(contentType: String?) -> ResponseDecodingError? {
        guard let contentType, !contentType.trimmed.isEmpty, !contains(contentType) else { return nil }
        return ResponseDecodingError(.mediaType(contentType.mediaType, accepted: self))
    }

    /// Returns the value of `Accept`; `nil` if the field is not made from these types.
    ///
    /// - Throws: ``RequestGenerationError`` for an element that is not a media type, and for too many of them.
    func fieldValue() throws(RequestGenerationError) -> String? {
        guard case .types(let types) = rule else { return nil }
        guard types.count <= Self.maximumCount else {
            throw RequestGenerationError(
                .headerValue("Accept"), "there are \(types.count) accepted media types; at most \(Self.maximumCount) are allowed")
        }
        for type in types where !Self.isValid(type) {
            throw RequestGenerationError(
                .headerValue("Accept"), "\"\(type.printable)\" is not a media type without parameters (RFC 9110 §12.5.1)")
        }
        let sent = types.filter { !$0.utf8.contains(0x2A) || $0.hasSuffix("/*") }
        return sent.isEmpty ? nil : sent.joined(separator: ", ")
    }

    /// Whether the text is `*/*`, `kind/*`, `kind/*+suffix` or `kind/subtype`.
    private static func isValid(_ type: String) -> Bool {
        if type == "*/*" { return true }
        guard let (kind, subtype) = type.divided(at: "/"), String(kind).isToken, !kind.utf8.contains(0x2A),
            String(subtype).isToken
        else {
            return false
        }
        guard subtype.utf8.first == 0x2A else { return !subtype.utf8.contains(0x2A) }
        let suffix = subtype.utf8.dropFirst()
        return suffix.isEmpty || suffix.count > 1 && suffix.first == 0x2B && !suffix.contains(0x2A)
    }
}

extension AcceptedMediaTypes: CustomStringConvertible {
    /// The media types, joined by commas.
    public var description: String {
        switch rule {
        case .any: "*/*"
        case .ofDecoder: "the media types of the decoder"
        case .types(let types): types.prefix(Self.maximumCount).map(\.printable).joined(separator: ", ")
        }
    }
}
