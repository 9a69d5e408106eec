import Foundation
import NetworkLogging

/// The body of a request and its media type. It is encoded when the request is built.
public struct EndpointBody: Sendable {
    /// The `Content-Type` header that is sent if the endpoint does not set one; `nil` sends none.
    public var contentType: String?
    private let makeContent: @Sendable (any DataEncoder) throws -> NetworkBody
    /// The encoder for bodies and services that have none. Its strategies are never changed.
    private static let defaultEncoder = TransferJSONEncoder.json

    /// Creates a body in memory.
    ///
    /// - Parameters:
    ///   - contentType: The `Content-Type` header; `nil` sends none.
    ///   - encode: Returns the bytes. Called once per built request, on the thread that builds it.
    public init(contentType: String?, encode: @escaping @Sendable () throws -> Data) {
        self.contentType = contentType
        makeContent = { _ in .data(try encode()) }
    }

    /// Creates a body from content that may be in memory, in a file, or produced while it is sent.
    public init(contentType: String?, content: NetworkBody) {
        self.contentType = contentType
        makeContent = { _ in content }
    }

    /// Creates a body whose content is produced when the request is built.
    ///
    /// - Parameter makeContent: Returns the content. Its argument is the encoder of the service, for a body without one.
    init(contentType: String?, makeContent: @escaping @Sendable (any DataEncoder) throws -> NetworkBody) {
        self.contentType = contentType
        self.makeContent = makeContent
    }

    /// Returns the encoded content for a request.
    ///
    /// - Parameter encoder: The encoder of a JSON body without one; `nil` for ``DataEncoder/json``.
    /// - Throws: ``RequestGenerationError`` for the field `body`, with the encoder's error as the underlying error.
    package func content(encoder: (any DataEncoder)? = nil) throws(RequestGenerationError) -> NetworkBody {
        do {
            return try makeContent(encoder ?? Self.defaultEncoder)
        } catch let error as RequestGenerationError {
            throw error
        } catch {
            throw RequestGenerationError(.body, "it cannot be encoded: \(ErrorText(error))", underlying: error)
        }
    }
}

extension EndpointBody {
    /// Returns a JSON body (`application/json`, RFC 8259) of any `Encodable` value: an object, a top-level array or a scalar.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - encoder: The encoder of the value. Default: `nil`, which uses that of the service, by default ``DataEncoder/json``.
    @_disfavoredOverload
    public static func json(_ value: some Encodable & Sendable, encoder: (any DataEncoder)? = nil) -> EndpointBody {
        EndpointBody(contentType: "application/json", makeContent: { .data(try (encoder ?? $0).encodeBounded(value)) })
    }

    /// Returns a JSON body (`application/json`) of a dictionary literal. Items whose value is `nil` are omitted.
    ///
    /// - Parameters:
    ///   - parameters: The items of the JSON object.
    ///   - encoder: The encoder of the values. Default: `nil`, which uses that of the service, by default ``DataEncoder/json``.
    public static func json(_ parameters: ParameterList, encoder: (any DataEncoder)? = nil) -> EndpointBody {
        EndpointBody(contentType: "application/json", makeContent: { .data(try (encoder ?? $0).encodeBounded(parameters)) })
    }

    /// Unavailable: values of the type `Any` are not known to be `Encodable`.
    @available(*, unavailable, message: "write `.json(ParameterList(…))`, or with values of `Any` `ParameterList(jsonObject: …)`")
    @_disfavoredOverload
    public static func json(_ jsonObject: [String: Any], encoder: (any DataEncoder)? = nil) -> EndpointBody {
        json(ParameterList(jsonObject: jsonObject), encoder: encoder)
    }

    /// Returns a form body (`application/x-www-form-urlencoded`, WHATWG URL standard §5). A space becomes `+`; line endings are
    /// not normalized.
    public static func form(_ parameters: ParameterList, style: QueryStyle = QueryStyle()) -> EndpointBody {
        EndpointBody(contentType: "application/x-www-form-urlencoded") {
            do throws(RequestGenerationError) {
                var writer = ParameterWriter(formWithStyle: style)
                for item in try parameters.items(style: style) { try writer.append(item.value, named: item.name) }
                return Data(writer.bytes)
            } catch {
                guard case .query(let name) = error.field else { throw error }
                let place = name.isEmpty ? "form" : "form field \"\(name.printable)\""
                throw RequestGenerationError(.body, "\(place): \(error.reason)", underlying: error.underlying)
            }
        }
    }

    /// Returns a form body (`application/x-www-form-urlencoded`) of any `Encodable` value with named properties.
    @_disfavoredOverload
    public static func form(_ value: some Encodable & Sendable, style: QueryStyle = QueryStyle()) -> EndpointBody {
        form(ParameterList(value), style: style)
    }

    /// Unavailable: values of the type `Any` are not known to be `Encodable`.
    @available(*, unavailable, message: "write `.form(ParameterList(…))`, or with values of `Any` `ParameterList(jsonObject: …)`")
    @_disfavoredOverload
    public static func form(_ jsonObject: [String: Any], style: QueryStyle = QueryStyle()) -> EndpointBody {
        form(ParameterList(jsonObject: jsonObject), style: style)
    }

    /// Returns a text body in an encoding, which the content type names as its `charset`.
    ///
    /// A character that the encoding cannot represent is an error; it is not replaced. So is an encoding other than UTF-8, UTF-16,
    /// UTF-32, US-ASCII, ISO-8859-1 and -2, windows-1250 to -1254, Shift_JIS, ISO-2022-JP and Mac OS Roman.
    public static func text(
        _ text: String, encoding: String.Encoding = .utf8, contentType: String = "text/plain"
    ) -> EndpointBody {
        guard let charset = TextCharset(encoding) else {
            let error = RequestGenerationError(.body, "the text encoding \(encoding.rawValue) is not supported")
            return EndpointBody(contentType: contentType, encode: { throw error })
        }
        return EndpointBody(contentType: "\(contentType); charset=\(charset.name)") {
            guard let data = charset.encode(text) else {
                throw RequestGenerationError(.body, "the text has characters that \(charset.name) cannot represent")
            }
            return data
        }
    }

    /// Returns a body of bytes that are sent unchanged.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> EndpointBody {
        EndpointBody(contentType: contentType) { data }
    }

    /// Returns a body of a file that is read while it is sent. See ``NetworkBody/file(_:)``.
    public static func file(_ url: URL, contentType: String = "application/octet-stream") -> EndpointBody {
        EndpointBody(contentType: contentType, content: .file(url))
    }

    /// Returns a body of chunks that are produced while they are sent and cannot be sent twice. See
    /// ``NetworkBody/stream(_:length:)``.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64? = nil, contentType: String = "application/octet-stream"
    ) -> EndpointBody where Chunks.Element == Data {
        EndpointBody(contentType: contentType, content: .stream(chunks, length: length))
    }

    /// Returns a body of any `Encodable` value, encoded by any ``DataEncoder``.
    public static func encoded(
        _ value: some Encodable & Sendable, by encoder: any DataEncoder, contentType: String
    ) -> EndpointBody {
        EndpointBody(contentType: contentType) { try encoder.encodeBounded(value) }
    }
}

extension EndpointBody {
    /// Returns the body with trailer fields that a closure makes after the last byte. See ``NetworkBody/withTrailers(_:fields:)``.
    public func withTrailers(
        _ names: [String] = [], fields: @escaping @Sendable () async throws -> HeaderFields
    ) -> EndpointBody {
        EndpointBody(contentType: contentType, makeContent: { try makeContent($0).withTrailers(names, fields: fields) })
    }

    /// Returns the body with its SHA-256 digest in the trailer field `Content-Digest`. See ``NetworkBody/withDigestTrailer()``.
    public func withDigestTrailer() -> EndpointBody {
        EndpointBody(contentType: contentType, makeContent: { try makeContent($0).withDigestTrailer() })
    }
}

extension EndpointBody: RedactedStringConvertible {
    /// A textual representation that contains only the content type. The body is not encoded for it.
    public var description: String { "EndpointBody(\(contentType?.printable ?? "no content type"))" }
}
