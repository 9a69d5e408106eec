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

extension MultipartFormData {
    /// The media type that a file name's extension stands for, compared without case; `application/octet-stream` for any other.
    public static func contentType(forFileName name: String) -> String {
        guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "application/octet-stream" }
        return contentTypes[name[name.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }

    // As IANA registers them, where it does.
    private static let contentTypes = [
        "7z": "application/x-7z-compressed", "aac": "audio/aac", "apng": "image/apng", "avi": "video/x-msvideo",
        "avif": "image/avif",
        "bmp": "image/bmp", "bz2": "application/x-bzip2", "css": "text/css", "csv": "text/csv", "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document", "epub": "application/epub+zip",
        "flac": "audio/flac", "gif": "image/gif", "gz": "application/gzip", "heic": "image/heic", "heif": "image/heif",
        "htm": "text/html", "html": "text/html", "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "js": "text/javascript", "json": "application/json", "jsonl": "application/jsonl",
        "jxl": "image/jxl",
        "log": "text/plain", "m4a": "audio/mp4", "m4v": "video/x-m4v", "md": "text/markdown", "mid": "audio/midi",
        "mjs": "text/javascript", "mkv": "video/matroska", "mov": "video/quicktime", "mp3": "audio/mpeg", "mp4": "video/mp4",
        "mpeg": "video/mpeg", "mpg": "video/mpeg", "odp": "application/vnd.oasis.opendocument.presentation",
        "ods": "application/vnd.oasis.opendocument.spreadsheet", "odt": "application/vnd.oasis.opendocument.text",
        "oga": "audio/ogg",
        "ogg": "audio/ogg", "ogv": "video/ogg", "opus": "audio/ogg", "otf": "font/otf", "pdf": "application/pdf",
        "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation", "rtf": "application/rtf",
        "svg": "image/svg+xml", "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff", "ttf": "font/ttf",
        "txt": "text/plain", "wasm": "application/wasm", "wav": "audio/wav", "weba": "audio/webm", "webm": "video/webm",
        "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xml": "application/xml",
        "yaml": "application/yaml", "yml": "application/yaml", "zip": "application/zip", "zst": "application/zstd",
    ]
}
