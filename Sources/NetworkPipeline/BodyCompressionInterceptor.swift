import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// An interceptor that compresses the bodies of requests with gzip (RFC 9110 §8.4, RFC 7694).
///
/// ```swift
/// let pipeline = RequestPipeline { $0.compression = .compression() }
/// ```
///
/// Which bodies are compressed is decided by ``Endpoints/BodyCompression`` of the endpoint and, where that is
/// ``Endpoints/BodyCompression/automatic``, by the rule of ``BodyCompressionOptions``. Place the interceptor after retries and before
/// credentials, signatures and caches, so that they process the bytes that are sent.
///
/// - **Memory.** A body of at most 256 KiB in memory is compressed at once, and sent with its `Content-Length`; by rule only if that makes it
///   smaller. Other bodies are compressed while they are sent, in each attempt from their beginning and as fast as the connection accepts the
///   result, in less than 1 MiB of memory. Their length is then not known: they are sent in chunks (RFC 9112 §7.1), and what a stream produces is
///   held back until about 32 KiB are compressed. A compressed body can be sent as often as the original.
/// - **Requests that are not changed** are those that have a `Content-Encoding` or `Content-Range`, or a digest of their content: `Content-MD5`,
///   `Content-Digest`, `Repr-Digest` or `Digest`. A signature that the caller sets covers the original body: use
///   ``Endpoints/BodyCompression/identity`` for it.
/// - **Servers that refuse it.** After a 415 whose `Accept-Encoding` does not list gzip, or that has none, the request is sent once more
///   uncompressed if its body is replayable, and so after a 411 to a body whose length is not known. Later requests to the origin are then not
///   compressed; the last 256 such origins are remembered, also for ``Endpoints/BodyCompression/gzip``. A 415 with gzip in
///   `Accept-Encoding` is about the media type (RFC 7694 §3) and is returned, as is one after a redirect.
/// - **Progress** counts the compressed bytes; the total is not known if the length is not.
/// - **Without zlib**, which is loaded at run time on Linux and not at all elsewhere, no body is compressed by rule, and one that has to be
///   is ``NetworkCore/TransportError/Code/unsupported``.
public final class BodyCompressionInterceptor: NetworkInterceptor {
    /// The number of origins that are remembered.
    static let maximumOrigins = 256

    /// The fields that describe or cover the bytes of the content as the caller has set them.
    private static let fieldsOfContent = [
        "Content-Encoding", "Content-Range", "Content-MD5", "Content-Digest", "Repr-Digest", "Digest", "X-Amz-Content-Sha256",
    ]

    private let options: BodyCompressionOptions
    private let isAvailable: Bool
    /// The origins that have refused compressed bodies, the latest at the end.
    private let refusing = Locked<[String]>([])

    /// Creates an interceptor that compresses bodies as its options say.
    ///
    /// An invalid option makes every request fail with ``NetworkCore/TransportError/Code/invalidConfiguration``.
    public convenience init(_ options: BodyCompressionOptions = BodyCompressionOptions()) {
        self.init(options, isAvailable: NetworkBody.isCompressible)
    }

    /// - Parameter isAvailable: Whether bodies can be compressed. Tests pass `false`.
    init(_ options: BodyCompressionOptions, isAvailable: Bool) {
        self.options = options
        self.isAvailable = isAvailable
    }

    /// Sends the request with a compressed body, and once more without if the server refuses that.
    ///
    /// - Throws: ``NetworkCore/TransportError/Code/unsupported`` if the endpoint requires compression and zlib cannot be loaded;
    ///   ``NetworkCore/TransportError/Code/bodyFailed`` if a file cannot be accessed;
    ///   ``NetworkCore/TransportError/Code/outOfResources`` if there is not enough memory;
    ///   ``NetworkCore/TransportError/Code/invalidConfiguration`` if an option is invalid; otherwise what `next` throws.
    @inline(__always)
    public func intercept(
        _ request: consuming NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        if let error = options.configurationError {
            throw TransportError(.invalidConfiguration, "compression: \(error)", request: request)
        }
        guard let body = request.body, try isEligible(request, body) else { return try await next(request) }
        if request.compression == .automatic {
            let bytes = body.needsMeasuring ? try await body.measured() : body.knownLength
            guard options.covers(bytes) else { return try await next(request) }
        }
        guard let compressed = try compressed(request, body) else { return try await next(request) }
        let response = try await next(compressed)
        guard Self.isRefusal(response, of: compressed) else { return response }
        refusing.withLock { [origin = request.origin] origins in
            origins.removeAll { $0 == origin }
            origins.append(origin)
            if origins.count > Self.maximumOrigins { origins.removeFirst() }
        }
        guard response.timings.redirects == 0, request.hasOrigin(of: response.lazyURL), request.mayBeSentAgain(after: response)
        else { return response }
        response.body.stop()
        return try await next(request)
    }

    /// Returns whether the body may be compressed, whatever its size.
    private func isEligible(_ request: NetworkRequest, _ body: NetworkBody) throws(TransportError) -> Bool {
        switch request.compression {
        case .identity: return false
        case .automatic:
            guard isAvailable, !options.mediaTypes.isEmpty, let type = request.headers["Content-Type"],
                options.covers(mediaType: type.mediaType)
            else {
                return false
            }
        case .gzip: break
        }
        // A body that was sent already is left to the engine, which reports that.
        if body.isEmpty || body.isSpent || Self.fieldsOfContent.contains(where: request.headers.contains) { return false }
        // A digest that the caller computes is that of the bytes before the compression.
        let trailers = body.trailers?.namesOfCaller ?? []
        if trailers.contains(where: { name in Self.fieldsOfContent.contains { HeaderFields.isSame($0, name) } }) { return false }
        if refusing.withLock({ $0.contains(request.origin) }) { return false }
        guard isAvailable else {
            throw TransportError(
                .unsupported, "the body has to be compressed with gzip, but zlib cannot be loaded", request: request)
        }
        return true
    }

    /// Returns the request with its body compressed; `nil` if that makes the body larger.
    private func compressed(_ request: NetworkRequest, _ body: NetworkBody) throws(TransportError) -> NetworkRequest? {
        let compressed = try body.compressed(level: options.level)
        if request.compression == .automatic, let count = compressed.data?.count, let original = body.data?.count,
            count >= original
        {
            return nil
        }
        var request = request
        request.body = compressed
        request.headers.set("gzip", for: "Content-Encoding")
        return request
    }

    private static func isRefusal(_ response: NetworkResponse, of request: NetworkRequest) -> Bool {
        switch response.statusCode {
        case 411: request.body?.knownLength == nil
        case 415: !response.headers.acceptsGzip
        default: false
        }
    }
}

extension NetworkInterceptor where Self == BodyCompressionInterceptor {
    /// Compresses the bodies of requests as the endpoint or the options say.
    public static func compression(_ options: BodyCompressionOptions = BodyCompressionOptions()) -> BodyCompressionInterceptor {
        BodyCompressionInterceptor(options)
    }
}

/// Which bodies are compressed, unless the endpoint says so, and how.
///
/// ```swift
/// let options = BodyCompressionOptions(mediaTypes: ["application/json", "+json"])
/// ```
public struct BodyCompressionOptions: Sendable, Hashable {
    /// The media types for which compression is worth its time: text, JSON, XML, YAML, GraphQL, JavaScript, SQL and forms without files.
    public static let compressibleMediaTypes: Set<String> = [
        "text/*", "+json", "+xml", "+yaml", "+json-seq", "application/json", "application/json-seq", "application/jsonl",
        "application/ndjson", "application/x-ndjson", "application/xml", "application/yaml", "application/graphql",
        "application/javascript", "application/sql", "application/x-www-form-urlencoded",
    ]

    /// The minimum size of a body that is compressed by rule, in bytes. A body of unknown length is compressed. Default: 1,024.
    public var minimumBytes: Int
    /// The media types that are compressed by rule, in lower case: `application/json`, all of a type as `text/*`, or all with a suffix (RFC 6838
    /// §4.2.8) as `+json`. If the set is empty, only the bodies of endpoints with ``Endpoints/BodyCompression/gzip`` are compressed.
    /// Default: ``compressibleMediaTypes``.
    public var mediaTypes: Set<String>
    /// The level of compression: 1, the fastest, to 9, the smallest. Default: 6.
    public var level: Int

    /// Creates options. They are checked when a request is sent.
    public init(
        minimumBytes: Int = 1024, mediaTypes: Set<String> = BodyCompressionOptions.compressibleMediaTypes, level: Int = 6
    ) {
        self.minimumBytes = minimumBytes
        self.mediaTypes = mediaTypes
        self.level = level
    }

    /// Why no request can be sent with these options; `nil` if they are valid.
    var configurationError: String? {
        if minimumBytes < 0 { return "minimumBytes is \(minimumBytes); it must be at least 0" }
        if !(1...9).contains(level) { return "level is \(level); it must be 1...9" }
        return nil
    }

    func covers(_ bytes: Int64?) -> Bool { bytes.map { $0 >= minimumBytes } ?? true }

    /// - Parameter mediaType: A media type in lower case, without parameters.
    func covers(mediaType: String) -> Bool {
        if mediaTypes.contains(mediaType) { return true }
        guard let slash = mediaType.utf8.firstIndex(of: UInt8(ascii: "/")) else { return false }
        if mediaTypes.contains(mediaType[...slash] + "*") { return true }
        guard let plus = mediaType.utf8.lastIndex(of: UInt8(ascii: "+")) else { return false }
        return mediaTypes.contains(String(mediaType[plus...]))
    }
}

extension BodyCompressionInterceptor: RedactedStringConvertible {}
