import Endpoints
import Foundation
import Testing
import TestSupport

struct FileNameTests {
    /// RFC 6266 §4.3, §5; RFC 8187 §3.2.3.
    @Test(
        arguments: [
            ("attachment; filename=example.html", "example.html"), ("INLINE; FILENAME= \"an example.html\"", "an example.html"),
            ("attachment; filename*= UTF-8''%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename=\"EURO rates\"; filename*=utf-8'en'%e2%82%ac%20rates", "€ rates"),
            ("attachment; filename*=iso-8859-1'en'%A3%20rates", "£ rates"),
            ("attachment; filename*=UTF-8''%ff; filename=plain", "plain"),
            ("attachment; filename*=koi8-r''%c1; filename=plain", "plain"),
            ("attachment; filename=\"a\\\"b;c\"; x=y", "a\"b;c"), ("attachment; filename=a; filename=b", "a"),
            ("attachment; filename=\"open", "open"),
            // Delimiters are octets, also before characters that combine with them.
            ("attachment; filename=\"\u{FE0F}x.txt\"; filename*=UTF-8''y.txt", "y.txt"), ("attachment;\u{301}x; filename=a", "a"),
            ("attachment; filename=\"a\"\u{301}; filename*=UTF-8''y", "y"), ("attachment; filename=\u{301}b", "\u{301}b"),
            ("attachment; filename*=UTF-8'en'\u{301}y; filename=b", "\u{301}y"),
            ("attachment; filename=a\u{37E}b; x=c", "a\u{37E}b"),
        ])
    func `the file name is read from Content-Disposition`(header: String, name: String) {
        #expect(ContentDisposition.fileName(in: header) == name)
    }

    @Test(arguments: [
        "", "attachment", "filename=a", "attachment; name=a", "attachment; filename*=a", "attachment; filename*=UTF-8''%",
    ])
    func `a Content-Disposition field without a valid file name has no file name`(header: String) {
        #expect(ContentDisposition.fileName(in: header) == nil)
    }

    @Test(
        arguments: [
            ("movie.mp4", "movie.mp4"), ("/etc/passwd", "passwd"), ("..\\..\\windows\\win.ini", "win.ini"), ("../../up", "up"),
            (".bashrc", "bashrc"), ("...", nil), ("..", nil), (".", nil), ("", nil), ("/", nil), ("a/", nil), ("  ", nil),
            (" .. a. . ", "a"),
            ("a\u{0}b\u{1F}\nc\u{7F}", "abc"), ("\u{0}", nil), ("gpj.exe\u{202E}", "gpj.exe"),
            ("a:b*c?d\"e<f>g|h", "a_b_c_d_e_f_g_h"),
            ("CON", "_CON"), ("nul.txt", "_nul.txt"), ("con.\u{301}x", "_con.\u{301}x"), ("com1", "_com1"),
            ("LPT9.tar.gz", "_LPT9.tar.gz"), ("com", "com"),
            ("console", "console"),
            ("naïve 映画.mp4", "naïve 映画.mp4"), ("\u{2028}x", "x"),
        ])
    func `a proposed name is changed to a safe file name`(proposed: String, name: String?) {
        #expect(SafeFileName.make(proposed) == name)
    }

    @Test(arguments: ["a", "é", "映", "👩‍👩‍👧"], [".mp4", "", ".tar"])
    func `a name that is too long is truncated before its extension`(character: String, ending: String) throws {
        let name = try #require(SafeFileName.make(String(repeating: character, count: 300) + ending))
        #expect(name.utf8.count <= 255 && name.utf8.count > 240 && name.hasSuffix(ending))
        let second = SafeFileName.numbered(name, 2)
        #expect(second.utf8.count <= 255 && second.hasSuffix(" 2" + ending))
    }

    @Test(arguments: [("movie.mp4", "movie 2.mp4"), ("movie", "movie 2"), (".hidden", ".hidden 2"), ("a.tar.gz", "a.tar 2.gz")])
    func `a number is inserted before the extension`(name: String, second: String) {
        #expect(SafeFileName.numbered(name, 2) == second)
    }

    @Test(
        arguments: [
            ("https://h.example/a/movie.mp4?token=1", nil, "movie.mp4"), ("https://h.example/a%2F..%2Fb", nil, "b"),
            ("https://h.example/", nil, "download"), ("https://h.example", nil, "download"),
            ("https://h.example/%2e%2e", nil, "download"),
            ("https://h.example/%FF", nil, "download"), ("https://h.example/x", "attachment; filename=\"../y\"", "y"),
            ("https://h.example/x", "attachment; filename=\"..\"", "x"),
        ])
    func `the file name in the header takes precedence over the one in the URL`(url: String, header: String?, name: String) throws
    {
        let headers: HeaderFields = header.map { ["Content-Disposition": $0] } ?? [:]
        #expect(SafeFileName.of(headers, url: try #require(URL(string: url))) == name)
    }

    @Test func `no safe file name refers to another folder`() {
        var random = SeededGenerator(seed: 6266)
        let alphabet = Array("./\\ab\u{0}: ~%\u{202E}")
        for _ in 0..<3000 {
            let text = String((0..<Int.random(in: 0..<12, using: &random)).map { _ in alphabet.randomElement(using: &random)! })
            guard let name = SafeFileName.make(text) else { continue }
            #expect(
                !name.isEmpty && !name.contains("/") && !name.contains("\\") && !name.hasPrefix(".") && !name.contains("\u{0}"))
        }
    }

    /// RFC 6266 §4.1 and RFC 8187 §3.2.1, read byte by byte.
    @Test(arguments: 6266...6269 as ClosedRange<UInt64>)
    func `the file name in a random field is that of a reference parser`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = [
            "attachment", "filename=", "; filename=\"", "; filename*=", "UTF-8''", "iso-8859-1'en'", "x.txt", "%41", "%e2%82%ac",
            "y", ";",
        ]
        for _ in 0..<4000 {
            let text = random.hostileText(of: words, maximumPieces: 10)
            #expect(
                ContentDisposition.fileName(in: text).map { Array($0.utf8) } == Self.reference(Array(text.utf8)),
                "\(text.debugDescription)")
        }
    }

    private static func reference(_ field: [UInt8]) -> [UInt8]? {
        func trimmed(_ bytes: [UInt8]) -> [UInt8] {
            let kept = bytes.indices.filter { bytes[$0] != 0x20 && bytes[$0] != 0x09 }
            return kept.isEmpty ? [] : Array(bytes[kept[0]...kept[kept.count - 1]])
        }
        func lowercased(_ bytes: [UInt8]) -> [UInt8] { bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 } }
        // Divides the field at semicolons outside of quoted strings.
        var (parts, part, isQuoted, index): ([[UInt8]], [UInt8], Bool, Int) = ([], [], false, 0)
        while index < field.count {
            let byte = field[index]
            if byte == UInt8(ascii: ";"), !isQuoted {
                parts.append(part)
                part = []
            } else {
                part.append(byte)
                if byte == UInt8(ascii: "\\"), isQuoted, index + 1 < field.count {
                    index += 1
                    part.append(field[index])
                } else if byte == UInt8(ascii: "\"") {
                    isQuoted.toggle()
                }
            }
            index += 1
        }
        parts.append(part)
        var plain: [UInt8]?
        for parameter in parts.dropFirst() {
            guard let equals = parameter.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = lowercased(trimmed(Array(parameter[..<equals])))
            let value = trimmed(Array(parameter[(equals + 1)...]))
            if name == Array("filename*".utf8), let decoded = extended(value) { return decoded }
            if name == Array("filename".utf8), plain == nil { plain = unquoted(value) }
        }
        return plain
    }

    private static func unquoted(_ value: [UInt8]) -> [UInt8] {
        guard value.first == UInt8(ascii: "\"") else { return value }
        var (text, index): ([UInt8], Int) = ([], 1)
        while index < value.count, value[index] != UInt8(ascii: "\"") {
            if value[index] == UInt8(ascii: "\\") { index += 1 }
            if index < value.count { text.append(value[index]) }
            index += 1
        }
        return text
    }

    private static func extended(_ value: [UInt8]) -> [UInt8]? {
        let parts = value.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false).map(Array.init)
        guard parts.count == 3 else { return nil }
        var (bytes, index): ([UInt8], Int) = ([], 0)
        while index < parts[2].count {
            if parts[2][index] == UInt8(ascii: "%") {
                let digits = parts[2][(index + 1)...].prefix(2)
                guard digits.count == 2, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
                    let byte = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(byte)
                index += 3
            } else {
                bytes.append(parts[2][index])
                index += 1
            }
        }
        switch String(decoding: parts[0], as: UTF8.self).uppercased() {
        case "UTF-8": return String(validating: bytes, as: UTF8.self) == nil ? nil : bytes
        case "ISO-8859-1": return Array(String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) })).utf8)
        default: return nil
        }
    }
}
