import Foundation

/// A `multipart/form-data` body (RFC 7578): fields, bytes, files and streams under names.
///
/// ```swift
/// var form = MultipartFormData()
/// form.append("Metropolis", name: "title")
/// form.append(.file(movie), name: "movie")
/// let receipt = try await service.upload(.multipart(form), to: endpoint)
/// ```
///
/// A form whose parts are all in memory becomes one body in memory. Any other is put together while it is sent: files are read piece by
/// piece, and never held as a whole. Its length is known beforehand, and announced, unless one of its streams does not know its own. It
/// can be sent again, for a redirect or another attempt, when all parts can.
public struct MultipartFormData: Sendable {
    /// In the order they are sent.
    public var parts: [Part]
    /// Stands between the parts, and may not occur inside one of them.
    ///
    /// In a part in memory that is an error when the request is built. In a file or a stream a given boundary is looked for while they are
    /// sent, and ends the transfer before it is complete. A random one is not: with 128 bits of the system's generator in it, made for this
    /// form, no content that was there before can hold it but by a chance of 1 in 10³⁸ at each of its bytes.
    public let boundary: String
    let isRandom: Bool

    /// - Parameter boundary: 1 to 70 characters of RFC 2046 §5.1.1, for the same bytes each time; random unless given.
    public init(_ parts: [Part] = [], boundary: String? = nil) {
        self.parts = parts
        self.boundary = boundary ?? Self.randomBoundary()
        isRandom = boundary == nil
    }

    /// Adds a text field, as UTF-8 without a content type.
    public mutating func append(_ value: String, name: String) {
        parts.append(Part(name: name, data: Data(value.utf8)))
    }

    /// Adds bytes as if they were a file.
    ///
    /// - Parameter contentType: That of the file name's extension unless given, see ``contentType(forFileName:)``.
    public mutating func append(_ data: Data, name: String, fileName: String, contentType: String? = nil) {
        append(.data(data), name: name, fileName: fileName, contentType: contentType)
    }

    /// Adds a file, a stream, or bytes.
    ///
    /// - Parameters:
    ///   - content: ``RequestContent/file(_:)`` is read while it is sent. ``RequestContent/stream(_:length:)`` makes the whole form one that
    ///     can be sent once, and one of unknown length when `length` is `nil`.
    ///   - fileName: For a file its own name unless given; for anything else none.
    ///   - contentType: That of the file name's extension unless given; none without a file name.
    public mutating func append(
        _ content: RequestContent, name: String, fileName: String? = nil, contentType: String? = nil
    ) {
        let fileName = fileName ?? content.fileName
        let contentType = contentType ?? fileName.map(Self.contentType(forFileName:))
        parts.append(Part(name: name, fileName: fileName, contentType: contentType, content: content))
    }

    // 24 + 32 characters.
    private static func randomBoundary() -> String {
        var generator = SystemRandomNumberGenerator()
        let words: [UInt64] = [generator.next(), generator.next()]
        let digits = words.map { word in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.count) + text
        }
        return "----swift-data-transfer-" + digits.joined()
    }
}

extension MultipartFormData: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The names and sizes of the parts.
    public var description: String { "MultipartFormData(\(parts.map(\.description).joined(separator: ", ")))" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestBody {
    /// `multipart/form-data` with its boundary.
    public static func multipart(_ form: MultipartFormData) -> RequestBody {
        let quoted = form.boundary.isToken ? form.boundary : "\"\(form.boundary)\""
        return RequestBody(contentType: "multipart/form-data; boundary=\(quoted)", makeContent: { try form.content() })
    }

    /// `multipart/form-data` of the parts that a closure adds.
    ///
    /// - Parameter build: Runs once and at once.
    public static func multipart<Failure: Error>(
        _ build: (inout MultipartFormData) throws(Failure) -> Void
    ) throws(Failure) -> RequestBody {
        var form = MultipartFormData()
        try build(&form)
        return multipart(form)
    }
}
