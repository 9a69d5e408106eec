import Foundation
import NetworkLogging
import NetworkSupport

/// A `multipart/form-data` body (RFC 7578) of named fields, bytes, files and streams.
///
/// ```swift
/// var form = MultipartForm()
/// form.append("Metropolis", name: "title")
/// form.append(.file(movie), name: "movie")
/// let receipt = try await service.upload(.multipart(form), to: endpoint)
/// ```
///
/// A form whose parts are all in memory is encoded in memory. Any other form is encoded while it is sent: files are read in pieces and never
/// loaded as a whole. The length of the body is sent in `Content-Length`, unless it contains a stream of unknown length. The form can be sent
/// again, for a redirect or another attempt, if all parts can be read again.
public struct MultipartForm: Sendable {
    /// The parts, in the order in which they are sent.
    public var parts: [Part]
    /// The boundary between the parts, which must not occur inside a part.
    ///
    /// If a part in memory contains it, building the request fails. Files and streams are searched for a boundary that the caller passed
    /// while they are sent, and the transfer fails before it is complete if it occurs. They are not searched for a random boundary: it contains
    /// 128 bits from the system's random number generator, so that existing content contains it with a chance of 1 in 10³⁸ at each byte.
    public let boundary: String
    let isRandom: Bool

    /// Creates a form with the given parts.
    ///
    /// - Parameters:
    ///   - parts: The parts, in the order in which they are sent. Default: none.
    ///   - boundary: 1 to 70 characters as specified in RFC 2046 §5.1.1, for example to produce the same bytes each time. Default: random.
    public init(_ parts: [Part] = [], boundary: String? = nil) {
        self.parts = parts
        self.boundary = boundary ?? Self.randomBoundary()
        isRandom = boundary == nil
    }

    /// Adds a text field, encoded as UTF-8, without a content type.
    ///
    /// - Parameters:
    ///   - value: The value of the field.
    ///   - name: The name of the field.
    ///   - headers: Further header fields of the part; see ``Part/headers``. Default: none.
    public mutating func append(_ value: String, name: String, headers: HeaderFields = [:]) {
        parts.append(Part(name: name, headers: headers, content: .data(Data(value.utf8))))
    }

    /// Adds a part with the content of a file, a stream or bytes.
    ///
    /// - Parameters:
    ///   - content: The content of the part. ``NetworkBody/file(_:)`` is read while it is sent. With ``NetworkBody/stream(_:length:)`` the
    ///     form can be sent only once, and its length is unknown if `length` is `nil`.
    ///   - name: The name of the field.
    ///   - fileName: The file name that is sent. Default: the name of a file; no file name for other content.
    ///   - contentType: The media type. Default: that of the file name's extension; no content type without a file name.
    ///   - headers: Further header fields of the part; see ``Part/headers``. Default: none.
    public mutating func append(
        _ content: NetworkBody, name: String, fileName: String? = nil, contentType: String? = nil, headers: HeaderFields = [:]
    ) {
        let fileName = fileName ?? content.fileName
        let contentType = contentType ?? fileName.map(Self.contentType(forFileName:))
        parts.append(Part(name: name, fileName: fileName, contentType: contentType, headers: headers, content: content))
    }

    // 24 characters and 32 hexadecimal digits.
    private static func randomBoundary() -> String { "----swift-data-transfer-" + .randomHexadecimal }
}

extension MultipartForm {
    /// A part of a form: a name and its content.
    ///
    /// Names and file names are escaped as specified in the WHATWG HTML standard (§4.10.21.8): `"` becomes `%22`, CR `%0D`, LF `%0A`. Before
    /// that, each line break of a name, but not of a file name, becomes CRLF.
    public struct Part: Sendable {
        /// The name of the form field, without escaping.
        public var name: String
        /// The file name, without escaping; `nil` sends no `filename` parameter.
        public var fileName: String?
        /// The value of the part's `Content-Type`; `nil` sends none, as is usual for plain fields (RFC 7578 §4.4).
        public var contentType: String?
        /// Further header fields, in the order in which they are sent.
        ///
        /// RFC 7578 §4.8 has receivers ignore them, so they are for servers that are known to read them. Their names are tokens,
        /// and their values have no control characters. `Content-Disposition` is an error, as the form sends it, and so are a
        /// second `Content-Type` and more than 1 MiB. They are checked when the form is encoded.
        public var headers: HeaderFields
        /// The content of the part, which is sent unchanged.
        public var content: NetworkBody

        /// Creates a part. Its content type and its header fields are checked when the form is encoded.
        public init(
            name: String, fileName: String? = nil, contentType: String? = nil, headers: HeaderFields = [:], content: NetworkBody
        ) {
            self.name = name
            self.fileName = fileName
            self.contentType = contentType
            self.headers = headers
            self.content = content
        }

        /// Creates a part whose content is in memory.
        package init(name: String, fileName: String? = nil, contentType: String? = nil, data: Data) {
            self.init(name: name, fileName: fileName, contentType: contentType, content: .data(data))
        }
    }
}

extension MultipartForm.Part {
    /// The maximum size of the header fields of a part, in bytes: that of the header fields of a request.
    private static let maximumHeaderBytes = 1 << 20

    /// Returns the header fields of the part, which are sent between the boundary line and the content.
    func head() throws(RequestGenerationError) -> String {
        var head = "Content-Disposition: form-data; name=\"\(Self.escaped(Self.withWholeLineBreaks(name)))\""
        if let fileName { head += "; filename=\"\(Self.escaped(fileName))\"" }
        head += "\r\n"
        if let contentType {
            guard !contentType.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
                throw RequestGenerationError(.body, "the content type of part \"\(name.printable)\" has a control character")
            }
            head += "Content-Type: \(contentType)\r\n"
        }
        var hasContentType = contentType != nil
        for field in headers.fields {
            try check(field, hasContentType: &hasContentType)
            guard head.utf8.count + field.value.utf8.count <= Self.maximumHeaderBytes else {
                throw RequestGenerationError(
                    .headerValue(field.name),
                    "with it, the header fields of part \"\(name.printable)\" are larger than \(Self.maximumHeaderBytes) bytes")
            }
            head += "\(field.name): \(field.value)\r\n"
        }
        headers.rememberSecrets()
        return head + "\r\n"
    }

    /// Returns the text with CRLF for each CR without LF, and each LF without CR.
    private static func withWholeLineBreaks(_ text: String) -> String {
        let (carriageReturn, lineFeed) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if bytes.last == carriageReturn, byte != lineFeed { bytes.append(lineFeed) }
            if bytes.last != carriageReturn, byte == lineFeed { bytes.append(carriageReturn) }
            bytes.append(byte)
        }
        if bytes.last == carriageReturn { bytes.append(lineFeed) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Throws if a field of ``headers`` is malformed, or if it is sent already.
    private func check(_ field: HeaderFields.Field, hasContentType: inout Bool) throws(RequestGenerationError) {
        do throws(RequestGenerationError) {
            try field.validate()
            if HeaderFields.isSame(field.name, "Content-Disposition") {
                throw RequestGenerationError(.headerName(field.name), "it is made from the name and the file name")
            }
            guard HeaderFields.isSame(field.name, "Content-Type") else { return }
            if hasContentType { throw RequestGenerationError(.headerName(field.name), "there is a content type already") }
            hasContentType = true
        } catch {
            throw RequestGenerationError(error.field, "in part \"\(name.printable)\" of the form: \(error.reason)")
        }
    }

    private static func escaped(_ text: String) -> String {
        // Bytes: appending several scalars to a view of scalars copies the entire view.
        var escaped: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): escaped += "%22".utf8
            case UInt8(ascii: "\r"): escaped += "%0D".utf8
            case UInt8(ascii: "\n"): escaped += "%0A".utf8
            default: escaped.append(byte)
            }
        }
        return String(decoding: escaped, as: UTF8.self)
    }
}

extension MultipartForm {
    /// Returns the media type for a file name's extension, compared case-insensitively.
    ///
    /// - Returns: `application/octet-stream` for an unknown extension or none.
    package static func contentType(forFileName name: String) -> String {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else {
            return "application/octet-stream"
        }
        return contentTypes[name[name.utf8.index(after: dot)...].lowercased()] ?? "application/octet-stream"
    }

    // The types registered with IANA, where one is registered.
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

extension MultipartForm: RedactedStringConvertible {
    /// The names and sizes of the parts, without their contents and file names.
    public var description: String { "MultipartForm(\(parts.map(\.description).joined(separator: ", ")))" }
}

extension MultipartForm.Part: RedactedStringConvertible {
    /// The name and the size of the content, without the content and the file name, which may be confidential.
    public var description: String { "\(name.printable): <\(content)>" }
}

extension EndpointBody {
    /// A `multipart/form-data` body whose content type contains the form's boundary.
    public static func multipart(_ form: MultipartForm) -> EndpointBody {
        let quoted = form.boundary.isToken ? form.boundary : "\"\(form.boundary)\""
        return EndpointBody(contentType: "multipart/form-data; boundary=\(quoted)", makeContent: { _ in try form.content() })
    }

    /// A `multipart/form-data` body of the parts that a closure adds.
    ///
    /// - Parameter build: Adds the parts. It is called once, before this method returns.
    public static func multipart<Failure: Error>(
        _ build: (inout MultipartForm) throws(Failure) -> Void
    ) throws(Failure) -> EndpointBody {
        var form = MultipartForm()
        try build(&form)
        return multipart(form)
    }
}

extension MultipartForm {
    /// The maximum size of a part in memory that is copied, so that it is sent together with the bytes before and after it.
    private static let copiedBytes = 64 << 10

    /// Returns the form as a body, which is in memory if all parts are, and otherwise is read while it is sent.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `body`.
    package func content() throws(RequestGenerationError) -> NetworkBody {
        let delimiter = try checkedDelimiter()
        for part in parts where part.content.trailers != nil { throw .partWithTrailers(part.name) }
        if parts.allSatisfy({ $0.content.data != nil }) { return .data(try joined()) }
        var glue = Data()
        var segments: [ContentSequence.Segment] = []
        for part in parts {
            glue.append(contentsOf: "--\(boundary)\r\n\(try part.head())".utf8)
            if let data = part.content.data, data.count <= Self.copiedBytes {
                glue.append(data)
            } else {
                segments.append(ContentSequence.Segment(.data(glue)))
                glue = Data()
                // Parts in memory have already been searched.
                let forbidden = part.content.data == nil && !isRandom ? delimiter : nil
                segments.append(ContentSequence.Segment(part.content, name: part.name, forbidden: forbidden))
            }
            glue.append(contentsOf: "\r\n".utf8)
        }
        glue.append(contentsOf: "--\(boundary)--\r\n".utf8)
        segments.append(ContentSequence.Segment(.data(glue)))
        return NetworkBody(source: .sequence(ContentSequence(segments)))
    }

    /// Returns the encoded form if all of its parts are in memory. No I/O is performed.
    ///
    /// - Throws: ``RequestGenerationError`` for the field `body`, also if a part comes from a file or a stream.
    package func encoded() throws(RequestGenerationError) -> Data {
        _ = try checkedDelimiter()
        return try joined()
    }

    private func joined() throws(RequestGenerationError) -> Data {
        var data = Data()
        data.reserveCapacity(
            parts.reduce(boundary.utf8.count + 8) { $0 + ($1.content.data?.count ?? 0) + boundary.utf8.count + 200 })
        for part in parts {
            guard let content = part.content.data else {
                throw RequestGenerationError(.body, "the part \"\(part.name.printable)\" is not in memory")
            }
            data.append(contentsOf: "--\(boundary)\r\n\(try part.head())".utf8)
            data.append(content)
            data.append(contentsOf: "\r\n".utf8)
        }
        data.append(contentsOf: "--\(boundary)--\r\n".utf8)
        return data
    }

    /// Checks the boundary and the parts in memory.
    ///
    /// - Returns: The delimiter, which no part may contain.
    private func checkedDelimiter() throws(RequestGenerationError) -> BytePattern {
        guard boundary.consists(of: .boundary), (1...70).contains(boundary.utf8.count) else {
            throw RequestGenerationError(.body, "the multipart boundary is not 1 to 70 characters of RFC 2046 §5.1.1")
        }
        let delimiter = BytePattern("--\(boundary)")
        for part in parts {
            guard let data = part.content.data, data.withUnsafeBytes(delimiter.occurs) else { continue }
            throw RequestGenerationError(.body, "the part \"\(part.name.printable)\" contains the multipart boundary")
        }
        return delimiter
    }
}
