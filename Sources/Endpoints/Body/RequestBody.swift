import Foundation

/// What an endpoint sends, and its media type. It is encoded when the request is built.
public struct RequestBody: Sendable {
    /// The `Content-Type` that is sent unless the endpoint sets one itself; `nil` sends none.
    public var contentType: String?
    private let makeContent: @Sendable () throws -> RequestContent

    /// A body in memory.
    ///
    /// - Parameter encode: Makes the bytes. Runs once per built request, on the thread that builds it.
    public init(contentType: String?, encode: @escaping @Sendable () throws -> Data) {
        self.contentType = contentType
        makeContent = { .data(try encode()) }
    }

    /// A body that may be in a file or be made while it is sent.
    public init(contentType: String?, content: RequestContent) {
        self.contentType = contentType
        makeContent = { content }
    }

    /// A body that is put together when the request is built.
    init(contentType: String?, makeContent: @escaping @Sendable () throws -> RequestContent) {
        self.contentType = contentType
        self.makeContent = makeContent
    }

    /// What the built request carries.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `body`, with the encoder's error inside.
    public func content() throws(RequestGenerationError) -> RequestContent {
        do {
            return try makeContent()
        } catch let error as RequestGenerationError {
            throw error
        } catch let error as EncodingError {
            throw RequestGenerationError(.body, "it cannot be encoded: \(error.place)", underlying: error)
        } catch {
            throw RequestGenerationError(.body, "it cannot be encoded (\(type(of: error)))", underlying: error)
        }
    }
}

extension RequestBody {
    /// `application/json` (RFC 8259) of any `Encodable`: objects, top-level arrays and scalars alike.
    ///
    /// - Parameter encoder: Sorted keys, slashes as they are, else Foundation's defaults, unless given.
    @_disfavoredOverload
    public static func json(_ value: some Encodable & Sendable, encoder: any DataEncoder = .json) -> RequestBody {
        RequestBody(contentType: "application/json") { try encoder.encodeBounded(value) }
    }

    /// `application/json` of a dictionary literal, in which `nil` drops the item.
    public static func json(_ parameters: Parameters, encoder: any DataEncoder = .json) -> RequestBody {
        RequestBody(contentType: "application/json") { try encoder.encodeBounded(parameters) }
    }

    /// `application/x-www-form-urlencoded` (WHATWG URL standard §5): a space becomes `+`, line ends stay as they are.
    public static func form(_ parameters: Parameters, style: QueryStyle = .default) -> RequestBody {
        RequestBody(contentType: "application/x-www-form-urlencoded") {
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

    /// `application/x-www-form-urlencoded` of any `Encodable` that has named properties.
    @_disfavoredOverload
    public static func form(_ value: some Encodable & Sendable, style: QueryStyle = .default) -> RequestBody {
        form(Parameters(value), style: style)
    }

    /// Text in a charset; a character that it lacks is an error, not a question mark.
    public static func text(
        _ text: String, charset: TextCharset = .utf8, contentType: String = "text/plain"
    ) -> RequestBody {
        RequestBody(contentType: "\(contentType); charset=\(charset.name)") {
            guard let data = charset.encode(text) else {
                throw RequestGenerationError(.body, "the text has characters that \(charset.name) lacks")
            }
            return data
        }
    }

    /// Bytes as they are.
    public static func data(_ data: Data, contentType: String = "application/octet-stream") -> RequestBody {
        RequestBody(contentType: contentType) { data }
    }

    /// A file, read while it is sent: ``RequestContent/file(_:)``.
    public static func file(_ url: URL, contentType: String = "application/octet-stream") -> RequestBody {
        RequestBody(contentType: contentType, content: .file(url))
    }

    /// Chunks that are made while they are sent, once: ``RequestContent/stream(_:length:)``.
    public static func stream<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Int64? = nil, contentType: String = "application/octet-stream"
    ) -> RequestBody where Chunks.Element == Data {
        RequestBody(contentType: contentType, content: .stream(chunks, length: length))
    }

    /// Any value through any encoder.
    public static func encoded(
        _ value: some Encodable & Sendable, by encoder: any DataEncoder, contentType: String
    ) -> RequestBody {
        RequestBody(contentType: contentType) { try encoder.encodeBounded(value) }
    }
}

extension RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The content type; nothing is encoded for it.
    public var description: String { "RequestBody(\(contentType ?? "no content type"))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The content type alone.
    public var customMirror: Mirror { Mirror(self, children: ["contentType": contentType as Any]) }
}

extension EncodingError {
    /// Where it happened, without the value.
    fileprivate var place: String {
        guard case .invalidValue(let value, let context) = self else { return "invalid value" }
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        return "\(type(of: value)) at \"\(path.printable)\""
    }
}
