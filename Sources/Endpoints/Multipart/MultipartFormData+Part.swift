import Foundation

extension MultipartFormData {
    /// One named part.
    ///
    /// Names and file names are escaped as the WHATWG HTML standard says (§4.10.21.8): `"` becomes `%22`, CR `%0D`, LF `%0A`.
    public struct Part: Sendable {
        /// The form field's name, not yet escaped.
        public var name: String
        /// Not yet escaped; `nil` sends no `filename`.
        public var fileName: String?
        /// Sent as the part's `Content-Type`; none for plain fields (RFC 7578 §4.4).
        public var contentType: String?
        /// What is sent, as it is.
        public var content: RequestContent

        /// A part; its content type is checked when the form is encoded.
        public init(name: String, fileName: String? = nil, contentType: String? = nil, content: RequestContent) {
            self.name = name
            self.fileName = fileName
            self.contentType = contentType
            self.content = content
        }

        /// A part in memory.
        public init(name: String, fileName: String? = nil, contentType: String? = nil, data: Data) {
            self.init(name: name, fileName: fileName, contentType: contentType, content: .data(data))
        }
    }
}

extension MultipartFormData.Part {
    /// What stands between the boundary's line and the content.
    func head() throws(RequestGenerationError) -> String {
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

extension MultipartFormData.Part: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name and size; contents and file names are nobody's business.
    public var description: String { "\(name.printable): <\(content)>" }
    /// The same as `description`.
    public var debugDescription: String { description }
    /// The description.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
