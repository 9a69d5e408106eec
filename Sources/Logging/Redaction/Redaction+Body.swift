import Foundation
import NetworkSupport

extension Redaction {
    /// Returns a body as redacted text, cut after `maximumBytes` bytes with a note of how many bytes were omitted.
    ///
    /// In JSON, the values of secret keys are redacted at any depth; in forms and multipart forms, those of secret fields; in other text,
    /// the secrets that ``redacted(text:)`` finds. A body that is not text becomes `<123 bytes of image/png>`. Without a content type,
    /// the bytes determine the format. Line breaks and control characters in the body are kept; escape them before writing to a terminal.
    ///
    /// - Parameters:
    ///   - body: The body; it may be malformed or truncated.
    ///   - contentType: The value of the `Content-Type` header field, including parameters.
    ///   - maximumBytes: The maximum number of bytes of text, not counting the note. Default: 4096.
    public func redacted(body: Data, contentType: String?, maximumBytes: Int = 4096) -> String {
        shown(body: body, contentType: contentType, limit: maximumBytes).noted
    }

    /// Returns the beginning of a body, redacted, in a time that does not depend on the length of the rest.
    ///
    /// - Parameter isCut: Whether the body is the beginning of a longer one.
    package func redacted(body: Data, contentType: String?, maximumBytes: Int, isCut: Bool) -> String {
        shown(body: body, contentType: contentType, limit: maximumBytes, isCut: isCut).noted
    }

    /// The number of bytes beyond those that are shown that are read of a body, to find the end of a secret.
    private static let lookahead = 64 << 10

    func shown(body: Data, contentType: String?, limit: Int, isCut: Bool = false) -> ShownBody {
        let limit = max(0, limit)
        let start = TextStart(body, bytes: limit.addingReportingOverflow(Self.lookahead).partialValue, isCut: isCut)
        return shown(body: start, type: MediaType(contentType), limit: limit)
    }

    func shown(body text: TextStart, type: MediaType, limit: Int, keepsTypes: Bool = false) -> ShownBody {
        let body = text.bytes
        guard !body.isEmpty else { return ShownBody(text: "", isJSON: false) }
        // Prevents overflow in the sums below.
        let limit = min(max(0, limit), 1 << 40)
        // Slightly more than is shown, so that the text can be cut between characters.
        let limitOfScan = limit + 8
        if type.isMultipart {
            var printer = MultipartRedactor(text, type: type, redaction: self, limit: limit)
            return printer.run() ?? .bytes(text.total, type)
        }
        // Sufficient to distinguish text from binary data, whatever the length of the body.
        let start = body.prefix(max(limitOfScan, 8192))
        if type.essence.isEmpty ? !Self.looksLikeText(start) : !type.isText || start.contains(0) {
            return .bytes(text.total, type)
        }
        if type.isForm {
            let items = redactedItems(body, isForm: true, limit: limitOfScan)
            return ShownBody(items.output, read: items.read, of: text, limit: limit, isJSON: false)
        }
        let first = body.first { !$0.isWhitespace && $0 < 0x80 && $0 != 0x1E }
        if type.isJSON || first == .openBrace || first == .openBracket {
            let (output, read) = JSONRedactor.redacted(text, redaction: self, limit: limitOfScan, keepsTypes: keepsTypes)
            return ShownBody(output, read: read, of: text, limit: limit, isJSON: true)
        }
        var scanner = TextRedactor(text, redaction: self, limit: limitOfScan)
        let output = scanner.run()
        return ShownBody(output, read: scanner.index, of: text, limit: limit, isJSON: false)
    }

    /// Returns whether the bytes are UTF-8, possibly cut within a character, without control characters that do not occur in text.
    private static func looksLikeText(_ bytes: ArraySlice<UInt8>) -> Bool {
        for byte in bytes where byte < 0x20 && !byte.isWhitespace && byte != 0x1B && byte != 0x0C && byte != 0x1E { return false }
        if String(bytes: bytes, encoding: .utf8) != nil { return true }
        return (1...3).contains { bytes.count > $0 && String(bytes: bytes.dropLast($0), encoding: .utf8) != nil }
    }
}

/// The text of a body, and how much of the body it omits.
struct ShownBody {
    var text: String
    var isJSON: Bool
    /// The number of omitted bytes; 0 if the text is complete.
    var bytesLeft = 0
    /// Whether the text contains only the size and type of the body.
    var isSummary = false

    init(text: String, isJSON: Bool) {
        self.text = text
        self.isJSON = isJSON
    }

    /// Creates a text from redacted output, cut at the limit on a character boundary.
    init(_ output: [UInt8], read: Int, of body: TextStart, limit: Int, isJSON: Bool) {
        // Searched as a whole, because a secret value may extend across tokens or occur in a name.
        let output = SecretValues.masked(output, isCut: body.isCut || read < body.bytes.count)
        var end = min(output.count, limit)
        while end > 0, end < output.count, output[end] & 0xC0 == 0x80, limit - end < 4 { end -= 1 }
        text = String(decoding: output[..<end], as: UTF8.self)
        bytesLeft = end < output.count || read < body.total ? max(1, body.total - read + output.count - end) : 0
        self.isJSON = isJSON
    }

    static func bytes(_ count: Int, _ type: MediaType) -> ShownBody {
        let bytes = count == 1 ? "1 byte" : "\(count) bytes"
        var body = ShownBody(text: type.essence.isEmpty ? "<\(bytes)>" : "<\(bytes) of \(type.label)>", isJSON: false)
        body.isSummary = true
        return body
    }

    /// The text with a note of the number of omitted bytes.
    var noted: String { VisibleText.cut(text, omittedBytes: bytesLeft) }
}

extension Redaction {
    /// Returns a body with its secrets redacted, to be stored rather than shown.
    ///
    /// Whether the body is text is determined by the content type, and by the bytes if the content type is not a text type. A multipart
    /// form is converted part by part, with line feeds as line endings and a note in place of binary content.
    ///
    /// - Parameters:
    ///   - keepsTypes: Whether a secret number in JSON becomes 0, and `true`, `false` and `null` are kept, so that the body can
    ///     still be decoded into the same types.
    ///   - isCut: Whether the body is the beginning of a longer one.
    /// - Returns: `nil` if nothing was redacted, in particular if the body is not text: the body can be stored unchanged.
    package func redactedContent(_ body: Data, contentType: String?, keepsTypes: Bool = false, isCut: Bool = false) -> String? {
        let text = TextStart(body, isCut: isCut)
        let bytes = text.bytes
        let type = MediaType(contentType)
        // A placeholder can be longer than the secret that it replaces. This limit allows for that.
        let limit = bytes.count * 16 + 4096
        var content = shown(body: text, type: type, limit: limit, keepsTypes: keepsTypes)
        let isMultipart = type.isMultipart && !content.isSummary
        if content.isSummary { content = shown(body: text, type: MediaType(nil), limit: limit, keepsTypes: keepsTypes) }
        if content.isSummary { return nil }
        // The text of a multipart form, or of a body in another charset, differs from the body even if nothing was redacted.
        let looksDifferent = isMultipart || String(valid: bytes) == nil
        let hides =
            looksDifferent ? content.text.contains(Redaction.placeholder) : content.text != String(decoding: bytes, as: UTF8.self)
        return hides ? content.text : nil
    }
}

/// Redacts a multipart body (RFC 2046 §5.1) part by part.
///
/// The content of a part is replaced if its name is secret, or if it has no name in a form, where every part needs one (RFC 7578 §4.2).
struct MultipartRedactor {
    private let text: TextStart
    private var bytes: [UInt8] { text.bytes }
    private let type: MediaType
    private let redaction: Redaction
    private let limit: Int
    private var output: [UInt8] = []

    init(_ text: TextStart, type: MediaType, redaction: Redaction, limit: Int) {
        self.text = text
        self.type = type
        self.redaction = redaction
        self.limit = limit
    }

    /// Returns the redacted parts, or `nil` if there is no usable boundary.
    mutating func run() -> ShownBody? {
        guard let boundary = type.values(ofParametersWithPrefix: "boundary").first, (1...200).contains(boundary.count) else {
            return nil
        }
        let delimiter = [.hyphen, .hyphen] + boundary
        var read = 0
        guard var start = next(delimiter, from: 0) else { return nil }
        while output.count < limit {
            let content = start + delimiter.count
            let end = next(delimiter, from: content)
            output += delimiter
            if content + 1 < bytes.count, bytes[content] == .hyphen, bytes[content + 1] == .hyphen {
                output += [.hyphen, .hyphen]
                read = bytes.count
                break
            }
            printPart(Array(bytes[content..<(end ?? bytes.count)]), isCut: end == nil && text.isCut)
            read = end ?? bytes.count
            guard let end else { break }
            start = end
        }
        return ShownBody(output, read: read, of: text, limit: limit, isJSON: false)
    }

    /// Returns the index of the next delimiter at the start of a line.
    private func next(_ delimiter: [UInt8], from start: Int) -> Int? {
        var index = start
        while index + delimiter.count <= bytes.count {
            if bytes[index] == .hyphen, index == 0 || bytes[index - 1] == .lineFeed,
                bytes[index..<(index + delimiter.count)].elementsEqual(delimiter)
            {
                return index
            }
            index += 1
        }
        return nil
    }

    private mutating func printPart(_ part: [UInt8], isCut: Bool) {
        var isSecret = type.essence == "multipart/form-data"
        var contentType: String?
        var index = part.firstIndex(of: .lineFeed).map { $0 + 1 } ?? part.count
        output.append(.lineFeed)
        while index < part.count, let line = Self.line(in: part, from: &index) {
            if line.isEmpty { break }
            let colon = line.firstIndex(of: .colon) ?? line.endIndex
            let name = Array(line[..<colon].trimmed).text
            let value = Array(line[colon...].dropFirst().trimmed).text
            if name.lowercased() == "content-type" { contentType = value }
            if name.lowercased() == "content-disposition" { isSecret = isSecretPart(disposition: value) }
            output += Array("\(name): \(redaction.redacted(headerValue: value, for: name))\n".utf8)
        }
        output.append(.lineFeed)
        var end = part.count
        if end > index, part[end - 1] == .lineFeed { end -= 1 }
        if end > index, part[end - 1] == .carriageReturn { end -= 1 }
        guard index < end else { return }
        let content = Array(part[index..<end])
        let inner = MediaType(contentType)
        if isSecret {
            output += Redaction.placeholder.utf8
        } else if inner.isMultipart {
            output += ShownBody.bytes(content.count, inner).text.utf8
        } else {
            output +=
                redaction.shown(body: TextStart(content, isCut: isCut), type: inner, limit: max(0, limit - output.count)).noted
                .utf8
        }
        output.append(.lineFeed)
    }

    private func isSecretPart(disposition: String) -> Bool {
        let names = MediaType(disposition).values(ofParametersWithPrefix: "name")
        guard !names.isEmpty else { return type.essence == "multipart/form-data" }
        // The numbered pieces of a name (RFC 2231) form one name.
        let joined = names.flatMap { $0 }.percentDecoded().text
        return redaction.isSecret(field: joined)
            || names.contains { name in
                // `UTF-8'en'name` (RFC 8187 §3.2).
                let plain = name.split(separator: .apostrophe).last.map(Array.init) ?? []
                return redaction.isSecret(field: plain.percentDecoded().text)
            }
    }

    /// Returns the next header line with its continuation lines (obs-fold) and without its line ending.
    private static func line(in part: [UInt8], from index: inout Int) -> [UInt8]? {
        var line: [UInt8] = []
        repeat {
            let end = part[index...].firstIndex(of: .lineFeed) ?? part.count
            line += part[index..<end]
            if line.last == .carriageReturn { line.removeLast() }
            index = min(end + 1, part.count)
        } while !line.isEmpty && index < part.count && part[index].isSpaceOrTab
        return line
    }
}
