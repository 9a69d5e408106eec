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
            ("CON", "_CON"), ("nul.txt", "_nul.txt"), ("com1", "_com1"), ("LPT9.tar.gz", "_LPT9.tar.gz"), ("com", "com"),
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
}
