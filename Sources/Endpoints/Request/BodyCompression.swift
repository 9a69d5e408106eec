/// Whether the body of a request is compressed while it is sent (RFC 9110 §8.4, RFC 7694).
///
/// ```swift
/// var report = Endpoint<Void>(path: "reports", method: .post, body: .file(log))
/// report.compression = .gzip
/// ```
///
/// A request does not say which codings its server decodes, so choose `.gzip` for servers that are known to decode it. The body is compressed
/// by an interceptor, `BodyCompressionInterceptor` of NetworkPipeline, which each `RequestPipeline` contains; a service without it sends
/// the body as it is.
///
/// The size of a compressed body tells something about its content: if others choose a part of a body that also contains a secret, use
/// ``identity``.
public enum BodyCompression: Sendable, Hashable {
    /// The rule of the interceptor decides, from the size and the media type of the body.
    case automatic
    /// The body is compressed, whatever its size and media type. Where zlib cannot be loaded, the request fails before anything is sent.
    case gzip
    /// The body is sent as it is.
    case identity
}
