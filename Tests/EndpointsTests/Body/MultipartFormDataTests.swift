import Endpoints
import Foundation
import Testing

@Suite struct MultipartFormDataTests {
    @Test func `parts are written as RFC 7578 shows them`() throws {
        var form = MultipartFormData(boundary: "AaB03x")
        form.append("Joe Blow", name: "field1")
        form.append(Data([0, 13, 10, 255]), name: "pics", fileName: "file1.txt", contentType: "text/plain")
        form.append(Data(), name: "raw", fileName: "größe.bin")
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
        #expect(try RequestBody.multipart(form).encoded() == expected)
        #expect(RequestBody.multipart(form).contentType == "multipart/form-data; boundary=AaB03x")
    }

    @Test(
        arguments: [
            // WHATWG HTML §4.10.21.8
            ("a\"b", "a%22b"), ("a\r\nb", "a%0D%0Ab"), ("a\nb\rc", "a%0Ab%0Dc"), ("a%22\\'b", "a%22\\'b"),
            ("日\"\u{301}", "日%22\u{301}"),
        ]
    )
    func `names and file names cannot leave their quotes`(name: String, escaped: String) throws {
        let form = MultipartFormData([.init(name: name, fileName: name, data: Data())], boundary: "b")
        let text = String(decoding: try form.encoded(), as: UTF8.self)
        #expect(text.contains("form-data; name=\"\(escaped)\"; filename=\"\(escaped)\"\r\n"))
    }

    @Test(arguments: ["x--AaB", "--AaB\r\nx", "\r\n--AaB--\r\n", "--AaBc"])
    func `a part that holds the boundary is refused`(content: String) throws {
        let form = MultipartFormData([.init(name: "n", data: Data(content.utf8))], boundary: "AaB")
        #expect(try Endpoint.make(method: .post, body: .multipart(form)).generationError().field == .body)
    }

    @Test(arguments: ["", "a b", "a\r\nb", "ä", "a\"b", "a;b", "a~b", "a*b", String(repeating: "a", count: 71)])
    func `a boundary outside RFC 2046 is refused`(boundary: String) throws {
        let form = MultipartFormData(boundary: boundary)
        #expect(try Endpoint.make(method: .post, body: .multipart(form)).generationError().field == .body)
    }

    @Test func `a boundary that is no token is quoted, and a random one is neither`() throws {
        #expect(RequestBody.multipart(MultipartFormData(boundary: "a/b")).contentType == "multipart/form-data; boundary=\"a/b\"")
        let (one, other) = (MultipartFormData(), MultipartFormData())
        #expect(one.boundary != other.boundary)
        #expect(try one.encoded() == Data("--\(one.boundary)--\r\n".utf8))
        #expect(RequestBody.multipart(one).contentType?.contains("\"") == false)
    }

    @Test(arguments: ["text/plain\r\nX-Evil: 1", "a\0", "a\nb"])
    func `a part's media type cannot begin another line`(contentType: String) throws {
        let form = MultipartFormData([.init(name: "n", contentType: contentType, data: Data())])
        #expect(try Endpoint.make(method: .post, body: .multipart(form)).generationError().field == .body)
    }
}
