import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct RequestValidationTests {
    @Test(arguments: [
        "", "GET ", "G\rET", "G\nET", "G\0ET", "GET /x HTTP/1.1\r\nHost:", "GÉT", "GET:", "a/b", "CONNECT", "connect",
    ])
    func `a method that is not a token, or is CONNECT, is refused`(name: String) throws {
        #expect(try Endpoint.make(method: RequestMethod(name)).generationError().field == .method)
    }

    @Test(arguments: [
        "", "A B", "A:", "A\r\nB", "A\n", "A\0", "Ä", "A\u{301}", "(A)", "A;", "Content-Length", "transfer-ENCODING",
    ])
    func `a header name that is not a token, or that only the engine may set, is refused`(name: String) throws {
        let headers: HeaderFields = ["Fine": "1", name: "x"]
        #expect(try Endpoint.make(headers: headers).generationError().field == .headerName(name))
        #expect(try Endpoint.make().generationError(.make(headers: headers)).field == .headerName(name))
    }

    @Test(arguments: ["a\rb", "a\nb", "a\r\nEvil: 1", "a\0b", "\u{1}", "a\u{7F}", "\r\n", "é\n"])
    func `a header value with line breaks or other control characters is refused`(value: String) throws {
        let headers: HeaderFields = ["Fine": "1", "X": value]
        #expect(try Endpoint.make(headers: headers).generationError().field == .headerValue("X"))
        #expect(try Endpoint.make().generationError(.make(headers: headers)).field == .headerValue("X"))
    }

    @Test func `all header fields together are limited to 1 MiB`() throws {
        let half = String(repeating: "x", count: 1 << 19)
        let error = try Endpoint.make(headers: ["A": half, "B": half]).generationError()
        #expect(error.field == .headerValue("B") && error.reason.contains("1048576 bytes"))
        #expect(throws: Never.self) { try Endpoint.make(headers: ["A": half]).networkRequest(with: APIConfiguration.make()) }
    }

    @Test(arguments: ["text/plain\r\nEvil: 1", "a\0"])
    func `a body's media type with line breaks or other control characters is refused`(contentType: String) throws {
        let endpoint = Endpoint.make(method: .post, body: .data(Data(), contentType: contentType))
        #expect(try endpoint.generationError().field == .headerValue("Content-Type"))
    }

    @Test(arguments: ["", "a\tb", " a ", "é日", "\u{85}", "\"(),/:;<=>?@[\\]{}"])
    func `any other header value is sent`(value: String) throws {
        let request = try Endpoint.make(headers: ["X": value]).networkRequest(with: APIConfiguration.make())
        #expect(request.headers["x"] == value)
    }

    @Test(arguments: [RequestMethod.get, .head, .trace], [Data(), Data([1])])
    func `a body is refused for methods without content, even if it is empty`(method: RequestMethod, data: Data) throws {
        #expect(try Endpoint.make(method: method, body: .data(data)).generationError().field == .body)
    }

    @Test(
        arguments: [
            (RequestTimeouts(connect: .zero), "connect"), (RequestTimeouts(idle: .microseconds(999)), "idle"),
            (RequestTimeouts(total: .seconds(-1)), "total"), (RequestTimeouts(total: .seconds(1_000_001)), "total"),
            (RequestTimeouts(connect: .seconds(Int64.max)), "connect"),
        ]
    )
    func `a timeout out of range is refused`(timeouts: RequestTimeouts, name: String) throws {
        #expect(try Endpoint.make(timeouts: timeouts).generationError().field == .timeout(name))
    }

    @Test func `timeouts at both ends of the range are accepted`() throws {
        let timeouts = RequestTimeouts(connect: .milliseconds(1), idle: .seconds(1_000_000))
        #expect(try Endpoint.make(timeouts: timeouts).networkRequest(with: APIConfiguration.make()).timeouts == timeouts)
    }

    @Test(arguments: ["file:///etc/passwd", "ftp://h/x", "/x", "http:x"])
    func `a request created without an endpoint needs an http URL`(text: String) throws {
        let request = NetworkRequest(url: try #require(URL(string: text)))
        let error = try #require(throws: RequestGenerationError.self) { try request.validate() }
        #expect(error.field == .url)
    }

    @Test func `a request created without an endpoint is validated like any other`() throws {
        let url = try #require(URL(string: "https://h.example"))
        try NetworkRequest(url: url, body: .data(Data())).validate()
        let error = try #require(throws: RequestGenerationError.self) {
            try NetworkRequest(url: url, body: .data(Data([1]))).validate()
        }
        #expect(error.field == .body)
    }
}
