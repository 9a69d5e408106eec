import Foundation

/// Redacts a multipart body (RFC 2046 §5.1) part by part.
///
/// The content of a part is replaced if its name is secret, or if it has no name in a form, where every part needs one (RFC 7578 §4.2).
struct MultipartRedactor {
    private let bytes: [UInt8]
    private let type: MediaType
    private let redaction: Redaction
    private let limit: Int
    private var output: [UInt8] = []

    init(_ bytes: [UInt8], type: MediaType, redaction: Redaction, limit: Int) {
        self.bytes = bytes
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
            printPart(Array(bytes[content..<(end ?? bytes.count)]))
            read = end ?? bytes.count
            guard let end else { break }
            start = end
        }
        return ShownBody(output, read: read, total: bytes.count, limit: limit, isJSON: false)
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

    private mutating func printPart(_ part: [UInt8]) {
        var isSecret = type.essence == "multipart/form-data"
        var contentType: String?
        var index = part.firstIndex(of: .lineFeed).map { $0 + 1 } ?? part.count
        output.append(.lineFeed)
        while index < part.count, let line = Self.line(in: part, from: &index) {
            if line.isEmpty { break }
            let colon = line.firstIndex(of: .colon) ?? line.endIndex
            let name = Array(line[..<colon]).text.trimmingCharacters(in: .whitespaces)
            let value = Array(line[colon...].dropFirst()).text.trimmingCharacters(in: .whitespaces)
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
            output += redaction.shown(body: content, type: inner, limit: max(0, limit - output.count)).noted.utf8
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
