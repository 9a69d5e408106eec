import Foundation
import Testing
import TestSupport

@testable import Endpoints

@Suite struct MultipartFormTests {
    @Test func `parts are written as in RFC 7578`() throws {
        var form = MultipartForm(boundary: "AaB03x")
        form.append("Joe Blow", name: "field1")
        form.append(.data(Data([0, 13, 10, 255])), name: "pics", fileName: "file1.txt", contentType: "text/plain")
        form.append(.data(Data()), name: "raw", fileName: "größe.bin")
        let expected =
            Data(
                """
                --AaB03x\r
                Content-Disposition: form-data; name="field1"\r
                \r
                Joe Blow\r
                --AaB03x\r
                Content-Disposition: form-data; name="pics"; filename="file1.txt"\r
                Content-Type: text/plain\r
                \r\n
                """.utf8)
            + Data([0, 13, 10, 255])
            + Data(
                """
                \r
                --AaB03x\r
                Content-Disposition: form-data; name="raw"; filename="größe.bin"\r
                Content-Type: application/octet-stream\r
                \r
                \r
                --AaB03x--\r\n
                """.utf8)
        #expect(try form.encoded() == expected)
        #expect(try EndpointBody.multipart(form).encoded() == expected)
        #expect(EndpointBody.multipart(form).contentType == "multipart/form-data; boundary=AaB03x")
    }

    @Test(
        arguments: [
            // WHATWG HTML §4.10.21.8
            ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("\r\n\r\n", "%0D%0A%0D%0A"), ("a%22\\'b", "a%22\\'b"),
            ("日\"\u{301}", "日%22\u{301}"),
        ]
    )
    func `quotes and line breaks in names and file names are escaped`(name: String, escaped: String) throws {
        let form = MultipartForm([.init(name: name, fileName: name, data: Data())], boundary: "b")
        let text = String(decoding: try form.encoded(), as: UTF8.self)
        #expect(text.contains("form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n"))
    }

    /// The multipart/form-data encoding algorithm normalizes the line breaks of names, but not those of file names (WHATWG HTML §4.10.21.8).
    @Test(
        arguments: [
            ("a\nb\rc", "a%0D%0Ab%0D%0Ac", "a%0Ab%0Dc"), ("\n", "%0D%0A", "%0A"), ("\r", "%0D%0A", "%0D"),
            ("\r\r\n\n", "%0D%0A%0D%0A%0D%0A", "%0D%0D%0A%0A"), ("\n\r\u{301}", "%0D%0A%0D%0A\u{301}", "%0A%0D\u{301}"),
        ])
    func `a line break in a name is written as CRLF, and one in a file name as it is`(text: String, name: String, file: String)
        throws
    {
        let form = MultipartForm([.init(name: text, fileName: text, data: Data())], boundary: "b")
        let encoded = String(decoding: try form.encoded(), as: UTF8.self)
        #expect(encoded.utf8.contains("form-data; name=\"\(name)\"; filename=\"\(file)\"\r\n".utf8))
    }

    @Test func `random names are escaped as the standard says`() throws {
        var random = SeededGenerator(seed: 410)
        for _ in 0..<2000 {
            let text = random.hostileText(of: ["\r", "\n", "\r\n", "a", "%0D"])
            let form = MultipartForm([.init(name: text, data: Data())], boundary: "b")
            // Marks that do not occur take the place of whole line breaks while the others are completed.
            var bytes = Data(text.utf8)
            func replace(_ old: String, _ new: String) {
                while let range = bytes.range(of: Data(old.utf8)) { bytes.replaceSubrange(range, with: Data(new.utf8)) }
            }
            for (old, new) in [("\r\n", "\u{1}"), ("\r", "\u{1}"), ("\n", "\u{1}"), ("\u{1}", "%0D%0A"), ("\"", "%22")] {
                replace(old, new)
            }
            let expected =
                Data("--b\r\nContent-Disposition: form-data; name=\"".utf8) + bytes + Data("\"\r\n\r\n\r\n--b--\r\n".utf8)
            #expect(try form.encoded() == expected, "\(text.debugDescription)")
        }
    }

    /// RFC 7578 §4.8: receivers that do not know other fields ignore them.
    @Test func `a part can have further header fields`() throws {
        var form = MultipartForm(boundary: "b")
        form.append("a", name: "n", headers: ["Content-Type": "text/x-note; charset=utf-8", "X-Part": "1", "x-part": "ä\t2"])
        form.append(.data(Data("b".utf8)), name: "m", contentType: "text/plain", headers: ["Content-ID": "<7>"])
        let text = String(decoding: try form.encoded(), as: UTF8.self)
        #expect(
            text == """
                --b\r
                Content-Disposition: form-data; name="n"\r
                Content-Type: text/x-note; charset=utf-8\r
                X-Part: 1\r
                x-part: ä\t2\r
                \r
                a\r
                --b\r
                Content-Disposition: form-data; name="m"\r
                Content-Type: text/plain\r
                Content-ID: <7>\r
                \r
                b\r
                --b--\r\n
                """)
    }

    /// RFC 9110 §5.1 and §5.5; RFC 7578 §4.2 and §4.4.
    @Test(
        arguments: [
            (["": "x"], .headerName("")), (["a b": "x"], .headerName("a b")), (["a:": "x"], .headerName("a:")),
            (["a\r\nb": "x"], .headerName("a\r\nb")), (["ä": "x"], .headerName("ä")), (["a": "x\r\nb: c"], .headerValue("a")),
            (["a": "x\n"], .headerValue("a")), (["a": "\r"], .headerValue("a")), (["a": "\0"], .headerValue("a")),
            (["content-disposition": "form-data"], .headerName("content-disposition")),
            (["Content-Type": "a/b"], .headerName("Content-Type")), (["Content-Length": "1"], .headerName("Content-Length")),
        ] as [(HeaderFields, RequestGenerationError.Field)]
    )
    func `a header field of a part that is malformed or sent already is an error that names it and the part`(
        headers: HeaderFields, field: RequestGenerationError.Field
    ) throws {
        for content in [NetworkBody.data(Data()), .file(URL(fileURLWithPath: "/a"))] {
            let part = MultipartForm.Part(name: "the part", contentType: "text/plain", headers: headers, content: content)
            let error = try Endpoint.make(method: .post, body: .multipart(MultipartForm([part]))).generationError()
            #expect(error.field == field)
            #expect(error.reason.contains("\"the part\"") && !error.description.contains("\n"))
        }
    }

    @Test func `header fields of a part of more than 1 MiB are an error that names the last one and the limit`() throws {
        var form = MultipartForm()
        let half = String(repeating: "a", count: 600_000)
        form.append("a", name: "n", headers: ["A": half, "B": half])
        let error = try Endpoint.make(method: .post, body: .multipart(form)).generationError()
        #expect(error.field == .headerValue("B") && error.reason.contains("1048576 bytes") && error.reason.contains("\"n\""))
    }

    @Test func `two content types in the header fields of a part are an error`() throws {
        var form = MultipartForm()
        form.append("a", name: "n", headers: ["Content-Type": "a/b", "content-type": "a/b"])
        let error = try Endpoint.make(method: .post, body: .multipart(form)).generationError()
        #expect(error.field == .headerName("content-type"))
    }

    @Test func `random header fields of a part are one line each, or an error`() throws {
        var random = SeededGenerator(seed: 11)
        let letters = ["a", "B", "-", "!", ":", " ", "\r", "\n", "\0", "\t", "ü", "\u{7F}"]
        var accepted = 0
        for _ in 0..<3000 {
            let name = (0..<random.below(3)).map { _ in random.pick(letters) }.joined()
            let value = (0..<random.below(4)).map { _ in random.pick(letters) }.joined()
            let isName = !name.isEmpty && name.utf8.allSatisfy { "aB-!".utf8.contains($0) }
            let isValue = value.utf8.allSatisfy { !"\r\n\0\u{7F}".utf8.contains($0) }
            let part = MultipartForm.Part(name: "n", headers: [name: value], content: .data(Data()))
            let text = (try? MultipartForm([part], boundary: "b").encoded()).map { String(decoding: $0, as: UTF8.self) }
            accepted += text == nil ? 0 : 1
            let expected = "--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\(name): \(value)\r\n\r\n\r\n--b--\r\n"
            #expect(text == (isName && isValue ? expected : nil), "\(name.debugDescription): \(value.debugDescription)")
        }
        #expect(accepted > 200)
    }

    @Test(arguments: ["x--AaB", "--AaB\r\nx", "\r\n--AaB--\r\n", "--AaBc"])
    func `a part that contains the boundary is refused`(content: String) throws {
        let form = MultipartForm([.init(name: "n", data: Data(content.utf8))], boundary: "AaB")
        #expect(try Endpoint.make(method: .post, body: .multipart(form)).generationError().field == .body)
    }

    @Test(arguments: ["", "a b", "a\r\nb", "ä", "a\"b", "a;b", "a~b", "a*b", String(repeating: "a", count: 71)])
    func `a boundary that RFC 2046 does not allow is refused`(boundary: String) throws {
        let form = MultipartForm(boundary: boundary)
        #expect(try Endpoint.make(method: .post, body: .multipart(form)).generationError().field == .body)
    }

    @Test func `a boundary that is not a token is quoted, and random boundaries are unique tokens`() throws {
        #expect(EndpointBody.multipart(MultipartForm(boundary: "a/b")).contentType == "multipart/form-data; boundary=\"a/b\"")
        let (one, other) = (MultipartForm(), MultipartForm())
        #expect(one.boundary != other.boundary)
        #expect(try one.encoded() == Data("--\(one.boundary)--\r\n".utf8))
        #expect(EndpointBody.multipart(one).contentType?.contains("\"") == false)
    }

    @Test(arguments: ["text/plain\r\nX-Evil: 1", "a\0", "a\nb"])
    func `a part's media type with line breaks or control characters is refused`(contentType: String) throws {
        let form = MultipartForm([.init(name: "n", contentType: contentType, data: Data())])
        #expect(try Endpoint.make(method: .post, body: .multipart(form)).generationError().field == .body)
    }

    @Test(
        arguments: [
            ("a.txt", "text/plain"), ("A.JPG", "image/jpeg"), ("movie.mp4", "video/mp4"), ("x.tar.gz", "application/gzip"),
            ("noextension", "application/octet-stream"), (".json", "application/octet-stream"),
            ("a.", "application/octet-stream"),
            ("a.unheard-of", "application/octet-stream"), ("a.b/c", "application/octet-stream"), ("", "application/octet-stream"),
        ]
    )
    func `the media type is derived from the extension of the file name`(name: String, contentType: String) {
        #expect(MultipartForm.contentType(forFileName: name) == contentType)
    }

    @Test func `a file part has the name and media type of its file by default`() throws {
        let file = URL(fileURLWithPath: "/films/Größe \"1\".mp4")
        var form = MultipartForm(boundary: "b")
        form.append(.file(file), name: "a")
        form.append(.file(file), name: "b", fileName: "x.png")
        form.append(.file(file), name: "c", contentType: "video/x-own")
        form.append(.data(Data("[]".utf8)), name: "d")
        form.append(.data(Data("[]".utf8)), name: "e", contentType: "application/json")
        let heads = try form.parts.map { try $0.head().components(separatedBy: "\r\n").dropLast(2) }
        #expect(
            heads.map(Array.init) == [
                [#"Content-Disposition: form-data; name="a"; filename="Größe %221%22.mp4""#, "Content-Type: video/mp4"],
                [#"Content-Disposition: form-data; name="b"; filename="x.png""#, "Content-Type: image/png"],
                [#"Content-Disposition: form-data; name="c"; filename="Größe %221%22.mp4""#, "Content-Type: video/x-own"],
                [#"Content-Disposition: form-data; name="d""#],
                [#"Content-Disposition: form-data; name="e""#, "Content-Type: application/json"],
            ])
    }

    @Test func `a form is in memory if all its parts are, and replayable if all its parts are`() throws {
        var form = MultipartForm(boundary: "b")
        form.append("x", name: "a")
        #expect(try form.content() == .data(form.encoded()))
        form.append(.file(URL(fileURLWithPath: "/a")), name: "f")
        #expect(try form.content().data == nil && form.content().isReplayable && form.content().knownLength == nil)
        #expect(throws: RequestGenerationError.self) { try form.encoded() }
        form.append(.stream(AsyncStream<Data> { $0.finish() }, length: 0), name: "s")
        #expect(try !form.content().isReplayable && form.content() == form.content())
        #expect("\(try form.content())" == "body in parts")
    }

    @Test func `a multipart body can be built in a closure`() throws {
        let body = EndpointBody.multipart { $0.append("x", name: "a") }
        #expect(String(decoding: try body.encoded(), as: UTF8.self).contains("name=\"a\"\r\n\r\nx\r\n"))
        struct Failure: Error {}
        #expect(throws: Failure.self) { try EndpointBody.multipart { _ throws(Failure) in throw Failure() } }
    }

    @Test func `a random boundary contains 128 random bits`() {
        let tails = (0..<200).map { _ in String(MultipartForm().boundary.suffix(32)) }
        #expect(Set(tails).count == 200 && tails.allSatisfy { $0.utf8.count == 32 && $0.allSatisfy(\.isHexDigit) })
        for place in 0..<32 { #expect(Set(tails.map { Array($0)[place] }).count > 8, "place \(place)") }
        #expect(MultipartForm().boundary.utf8.count <= 70)
    }

    @Test func `a file part requires a file URL`() throws {
        var form = MultipartForm()
        form.append(.file(try #require(URL(string: "https://a.example/b.txt"))), name: "f")
        #expect(try Endpoint.make(method: .post, body: .multipart(form)).generationError().field == .body)
    }
}
