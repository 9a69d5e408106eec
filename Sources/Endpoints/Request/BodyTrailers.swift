import NetworkSupport

/// The trailer fields of a request (RFC 9110 §6.5): how they are made after the last byte of the body.
// A class, so that bodies with trailers are compared by identity.
package final class BodyTrailers: Sendable, Hashable {
    package enum Part: Sendable {
        /// Fields that a closure of the caller makes. The names are those that are announced.
        case fields(names: [String], make: @Sendable () async throws -> HeaderFields)
        /// `Content-Digest` (RFC 9530 §2) of the bytes as they are sent.
        case digest
    }

    /// The maximum number of names that are announced.
    private static let maximumNames = 100

    package let parts: [Part]

    package init(_ parts: [Part]) {
        self.parts = parts
    }

    /// The names that the `Trailer` field announces (RFC 9110 §6.6.2).
    package var names: [String] {
        parts.flatMap { part -> [String] in
            switch part {
            case .fields(let names, _): names
            case .digest: ["Content-Digest"]
            }
        }
    }

    /// The names of the fields that the caller makes from the bytes as they are before any coding.
    package var namesOfCaller: [String] {
        parts.flatMap { part -> [String] in if case .fields(let names, _) = part { names } else { [] } }
    }

    /// Whether the SHA-256 digest of the bytes is needed.
    package var needsDigest: Bool {
        parts.contains { if case .digest = $0 { true } else { false } }
    }

    /// Throws if a name that is announced cannot be sent in trailers.
    func validate() throws(RequestGenerationError) {
        let names = names
        guard names.count <= Self.maximumNames else {
            throw RequestGenerationError(
                .headerName("Trailer"), "\(names.count) trailer fields are announced; at most \(Self.maximumNames) are allowed")
        }
        for name in names { try HeaderFields.Field(name: name, value: "").validateAsTrailer() }
    }

    package static func == (left: BodyTrailers, right: BodyTrailers) -> Bool { left === right }

    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension NetworkBody {
    /// Returns the body with trailer fields, which are sent after its last byte (RFC 9110 §6.5).
    ///
    /// ```swift
    /// let body = NetworkBody.stream(makeChunks: chunks)
    ///     .withTrailers(["X-Line-Count"]) { ["X-Line-Count": "\(counter.lines)"] }
    /// ```
    ///
    /// Over HTTP/1.1, the body is sent with chunked coding (RFC 9112 §7.1), even if its length is known. With `URLSessionManager`, the
    /// request fails with `unsupported` before anything is sent. Fields that an earlier call has added are kept.
    ///
    /// A name that a recipient needs before the body is an error that names the field: those of framing, routing,
    /// conditions, authentication and the format of the content, such as `Content-Type`, `Host` or `Authorization` (RFC 9110 §6.5.1).
    /// At most 100 names are announced, and all trailer fields together have at most 64 KiB. Many servers ignore trailers.
    ///
    /// - Parameters:
    ///   - names: The names that are announced in the `Trailer` field, unless the request has that field. Default: none. Announce
    ///     digests: a body with a digest is not compressed.
    ///   - fields: Returns the fields. Called once per attempt and per redirect that sends the body, after its last byte was produced, in
    ///     the task that produces the body, which is cancelled when the transfer ends. An error that it throws ends the transfer with
    ///     `bodyFailed`, and so does an invalid field. Two attempts may run at the same time if requests are hedged.
    public func withTrailers(
        _ names: [String] = [], fields: @escaping @Sendable () async throws -> HeaderFields
    ) -> NetworkBody {
        adding(.fields(names: names, make: fields))
    }

    /// Returns the body with the trailer field `Content-Digest` (RFC 9530 §2): the SHA-256 digest of the bytes, computed while they are
    /// sent. Each attempt computes it again. Of a body that is compressed, it is the digest of the compressed bytes.
    ///
    /// For how trailers are sent, see ``withTrailers(_:fields:)``.
    public func withDigestTrailer() -> NetworkBody {
        trailers?.needsDigest == true ? self : adding(.digest)
    }

    /// Whether trailer fields are sent after the bytes. A session manager that cannot send them refuses the request with `unsupported`.
    public var hasTrailers: Bool { trailers != nil }

    private func adding(_ part: BodyTrailers.Part) -> NetworkBody {
        NetworkBody(source: source, trailers: BodyTrailers((trailers?.parts ?? []) + [part]))
    }
}

extension RequestGenerationError {
    /// The error for a part of a form that has trailers.
    static func partWithTrailers(_ name: String?) -> RequestGenerationError {
        let part = name.map { "the part \"\($0.printable)\"" } ?? "a part"
        return RequestGenerationError(.body, "\(part) has trailers; only the whole body can have them (RFC 9110 §6.5)")
    }
}

extension HeaderFields.Field {
    /// The names, in lower case, of fields that must be known before the body, or that intermediaries would misunderstand behind it (RFC
    /// 9110 §6.5.1): framing, routing, request modifiers, authentication, response control and the format of the content.
    private static let forbiddenTrailers: Set<String> = [
        "accept", "accept-charset", "accept-encoding", "accept-language", "age", "authentication-info", "authorization",
        "cache-control", "connection", "content-encoding", "content-language", "content-length", "content-location",
        "content-range", "content-type", "cookie", "date", "expect", "expires", "forwarded", "from", "host", "http2-settings",
        "keep-alive", "location", "max-forwards", "origin", "pragma", "prefer", "proxy-authenticate",
        "proxy-authentication-info", "proxy-authorization", "proxy-connection", "range", "referer", "retry-after",
        "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "user-agent", "vary", "via", "warning",
        "www-authenticate",
    ]

    /// Throws if the field cannot be sent in trailers.
    package func validateAsTrailer() throws(RequestGenerationError) {
        let name = name.asciiLowercased
        if Self.forbiddenTrailers.contains(name) || name.hasPrefix("if-") {
            throw RequestGenerationError(.headerName(self.name), "it must not be sent in trailers (RFC 9110 §6.5.1)")
        }
        try validate()
    }
}
