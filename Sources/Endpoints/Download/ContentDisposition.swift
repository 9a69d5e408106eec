import Foundation

/// The file name in a `Content-Disposition` header (RFC 6266), as the server gave it: to be made safe before it is used.
package enum ContentDisposition {
    /// `filename*` (RFC 8187, UTF-8 or ISO-8859-1) before `filename` (RFC 6266 §4.3); `nil` without either.
    package static func fileName(in text: String) -> String? {
        var plain: String?
        for parameter in split(text).dropFirst() {
            guard let equals = parameter.firstIndex(of: "=") else { continue }
            let name = parameter[..<equals].trimmed.lowercased()
            let value = parameter[parameter.index(after: equals)...].trimmed
            if name == "filename*", let decoded = extended(value) { return decoded }
            if name == "filename", plain == nil { plain = unquoted(value) }
        }
        return plain
    }

    /// `UTF-8'en'na%C3%AFve.txt`
    private static func extended(_ value: Substring) -> String? {
        let parts = value.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { return nil }
        switch parts[0].lowercased() {
        case "utf-8": return PercentEncoding.decoded(parts[2])
        case "iso-8859-1": return latin1(parts[2])
        default: return nil
        }
    }

    /// Each byte is the code point of its number.
    private static func latin1(_ text: Substring) -> String? {
        var decoded = ""
        var bytes = text.utf8.makeIterator()
        while let byte = bytes.next() {
            guard byte == UInt8(ascii: "%") else {
                decoded.unicodeScalars.append(Unicode.Scalar(byte))
                continue
            }
            guard let high = bytes.next().flatMap(PercentEncoding.hexValue),
                let low = bytes.next().flatMap(PercentEncoding.hexValue)
            else { return nil }
            decoded.unicodeScalars.append(Unicode.Scalar(high << 4 | low))
        }
        return decoded
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.first == "\"" else { return String(value) }
        var text = ""
        var isEscaped = false
        for scalar in value.unicodeScalars.dropFirst() {
            if !isEscaped, scalar == "\"" { break }
            if !isEscaped, scalar == "\\" {
                isEscaped = true
                continue
            }
            isEscaped = false
            text.unicodeScalars.append(scalar)
        }
        return text
    }

    /// At semicolons outside quotes.
    private static func split(_ text: String) -> [Substring] {
        var parts: [Substring] = []
        var (start, isQuoted, isEscaped) = (text.startIndex, false, false)
        for index in text.indices {
            let character = text[index]
            if character == ";" && !isQuoted {
                parts.append(text[start..<index])
                start = text.index(after: index)
            } else if character == "\"" && !isEscaped {
                isQuoted.toggle()
            }
            isEscaped = character == "\\" && isQuoted && !isEscaped
        }
        return parts + [text[start...]]
    }
}
