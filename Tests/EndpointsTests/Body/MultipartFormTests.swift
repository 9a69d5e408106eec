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
            ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb\rc", "a%0Ab%0Dc"), ("a%22\\'b", "a%22\\'b"),
            ("日\"\u{301}", "日%22\u{301}"),
        ]
    )
    func `quotes and line breaks in names and file names are escaped`(name: String, escaped: String) throws {
        let form = MultipartForm([.init(name: name, fileName: name, data: Data())], boundary: "b")
        let text = String(decoding: try form.encoded(), as: UTF8.self)
        #expect(text.contains("form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n"))
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
