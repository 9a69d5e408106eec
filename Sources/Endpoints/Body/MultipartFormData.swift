import Foundation

/// A `multipart/form-data` body (RFC 7578) held in memory.
///
/// Names and file names are escaped as the WHATWG HTML standard says (§4.10.21.8): `"` becomes `%22`, CR `%0D`, LF `%0A`.
public struct MultipartFormData: Sendable {
    /// One named part.
    public struct Part: Sendable {
        /// The form field's name, not yet escaped.
        public var name: String
        /// Not yet escaped; `nil` sends no `filename`.
        public var fileName: String?
        /// Sent as the part's `Content-Type`; none for plain fields (RFC 7578 §4.4).
        public var contentType: String?
        /// The contents, sent as they are.
        public var data: Data

        /// A part; its content type is checked when the form is encoded.
        public init(name: String, fileName: String? = nil, contentType: String? = nil, data: Data) {
            self.name = name
            self.fileName = fileName
            self.contentType = contentType
            self.data = data
        }
    }

    /// In the order they are sent.
    public var parts: [Part]
    /// Stands between the parts. It may not occur inside one of them: that is an error when the request is built.
    public let boundary: String

    /// - Parameter boundary: 1 to 70 characters of RFC 2046 §5.1.1; random unless given.
    public init(_ parts: [Part] = [], boundary: String? = nil) {
        self.parts = parts
        self.boundary = boundary ?? Self.randomBoundary()
    }

    /// Adds a text field, as UTF-8 without a content type.
    public mutating func append(_ value: String, name: String) {
        parts.append(Part(name: name, data: Data(value.utf8)))
    }

    /// - Parameter contentType: `application/octet-stream` unless given (RFC 7578 §4.4).
    public mutating func append(
        _ data: Data, name: String, fileName: String, contentType: String = "application/octet-stream"
    ) {
        parts.append(Part(name: name, fileName: fileName, contentType: contentType, data: data))
    }

    /// - Throws: ``RequestGenerationError`` for the field `body`.
    public func encoded() throws(RequestGenerationError) -> Data {
        try validateBoundary()
        var data = Data()
        data.reserveCapacity(parts.reduce(boundary.utf8.count + 8) { $0 + $1.data.count + boundary.utf8.count + 200 })
        for part in parts {
            data.append(contentsOf: "--\(boundary)\r\n".utf8)
            data.append(contentsOf: try part.head().utf8)
            data.append(part.data)
            data.append(contentsOf: "\r\n".utf8)
        }
        data.append(contentsOf: "--\(boundary)--\r\n".utf8)
        return data
    }

    private func validateBoundary() throws(RequestGenerationError) {
        guard boundary.consists(of: .boundary), (1...70).contains(boundary.utf8.count) else {
            throw RequestGenerationError(.body, "the multipart boundary is not 1 to 70 characters of RFC 2046 §5.1.1")
        }
        let delimiter = Data("--\(boundary)".utf8)
        for part in parts where part.data.range(of: delimiter) != nil {
            throw RequestGenerationError(.body, "the part \"\(part.name.printable)\" contains the multipart boundary")
        }
    }

    private static func randomBoundary() -> String {
        "----swift-data-transfer-" + UUID().uuidString
    }
}

extension MultipartFormData.Part {
    fileprivate func head() throws(RequestGenerationError) -> String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
        if let fileName { head += "; filename=\"\(Self.escaped(fileName))\"" }
        head += "\r\n"
        if let contentType {
            guard !contentType.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw RequestGenerationError(.body, "the content type of part \"\(name.printable)\" has a control character")
            }
            head += "Content-Type: \(contentType)\r\n"
        }
        return head + "\r\n"
    }

    private static func escaped(_ text: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": escaped.append(contentsOf: "%22".unicodeScalars)
            case "\r": escaped.append(contentsOf: "%0D".unicodeScalars)
            case "\n": escaped.append(contentsOf: "%0A".unicodeScalars)
            default: escaped.append(scalar)
            }
        }
        return String(escaped)
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

extension MultipartFormData.Part: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name and size; contents and file names are nobody's business.
    public var description: String { "\(name.printable): <\(data.count) bytes>" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}

extension RequestBody {
    /// `multipart/form-data` with its boundary.
    public static func multipart(_ form: MultipartFormData) -> RequestBody {
        let quoted = form.boundary.isToken ? form.boundary : "\"\(form.boundary)\""
        return RequestBody(contentType: "multipart/form-data; boundary=\(quoted)") { try form.encoded() }
    }
}
