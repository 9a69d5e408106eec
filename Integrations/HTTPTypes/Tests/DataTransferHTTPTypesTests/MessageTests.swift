import DataTransferHTTPTypes
import Foundation
import Testing

struct MessageTests {
    @Test(
        arguments: [
            "https://example.com/", "http://example.com:8080/a/b?c=d", "https://[::1]:443/?",
            "https://example.com/%2F%20?%41=+&b",
            "https://example.com/a//b/../c?x=https://y/z?w",
        ])
    func `a request keeps its method, URL and fields in both directions`(url: String) throws {
        let url = try #require(URL(string: url))
        let request = NetworkRequest(method: RequestMethod(rawValue: "PURGE"), url: url, headers: ["X-A": "1", "x-a": "2"])
        let converted = try HTTPRequest(request)
        #expect(converted.method.rawValue == "PURGE")
        #expect("\(converted.scheme ?? "")://\(converted.authority ?? "")\(converted.path ?? "")" == url.absoluteString)
        #expect(try NetworkRequest(converted) == request)
        #expect(try NetworkRequest(converted).headers.lines == request.headers.lines)
    }

    @Test(arguments: 0..<200 as Range<UInt64>) func `random requests stay the same in both directions`(seed: UInt64) throws {
        var generator = SeededGenerator(seed)
        let allowed = Array("abcXYZ019-._~!$&'()*+,;=:@/?")
        let path = String((0..<20).map { _ in allowed.randomElement(using: &generator) ?? "/" })
        let request = HTTPRequest(
            method: .post, scheme: "https", authority: "example.com", path: "/" + path,
            headerFields: try HTTPFields(generator.fields()))
        let converted = try HTTPRequest(NetworkRequest(request))
        #expect(converted == request)
        #expect(converted.headerFields.lines == request.headerFields.lines)
    }

    struct Composition: Sendable {
        var base: String
        var path: String
        var result: String
    }

    @Test(
        arguments: [
            Composition(base: "https://h", path: "/a", result: "https://h/a"),
            Composition(base: "https://h/", path: "/a?b", result: "https://h/a?b"),
            Composition(base: "https://h:8443/v1", path: "/a/%7Bx%7D", result: "https://h:8443/v1/a/%7Bx%7D"),
            Composition(base: "https://h/v1/", path: "/a", result: "https://h/v1/a"),
            Composition(base: "https://h/v1", path: "?q=1", result: "https://h/v1?q=1"),
            Composition(base: "https://h/v1", path: "", result: "https://h/v1"),
        ])
    func `a path is below the base URL`(row: Composition) throws {
        let request = HTTPRequest(method: .get, scheme: nil, authority: nil, path: row.path)
        #expect(try NetworkRequest(request, baseURL: URL(string: row.base)).url.absoluteString == row.result)
    }

    struct Refusal: Sendable {
        var part: HTTPTypesError.Part
        var request: HTTPRequest
        var base: String?
    }

    private static func request(
        _ method: HTTPRequest.Method = .get, _ scheme: String? = "https", _ authority: String? = "h", _ path: String? = "/"
    ) -> HTTPRequest {
        HTTPRequest(method: method, scheme: scheme, authority: authority, path: path)
    }

    @Test(
        arguments: [
            Refusal(part: .method, request: request(.connect)),
            Refusal(part: .scheme, request: request(.get, nil)),
            Refusal(part: .authority, request: request(.get, "https", nil)),
            Refusal(part: .authority, request: request(.get, "https", "user:secret@h")),
            Refusal(part: .authority, request: request(.get, "https", "h/x")),
            Refusal(part: .path, request: request(.get, "https", "h", nil)),
            Refusal(part: .path, request: request(.options, "https", "h", "*")),
            Refusal(part: .path, request: request(.get, "https", "h", "/#a")),
            Refusal(part: .path, request: request(.get, "https", "h", "/a b")),
            Refusal(part: .path, request: request(.get, "https", "h", "/{id}")),
            Refusal(part: .scheme, request: request(.get, "http", nil), base: "https://h"),
            Refusal(part: .authority, request: request(.get, nil, "other"), base: "https://h"),
            Refusal(part: .url, request: request(.get, nil, nil), base: "https://h?q"),
            Refusal(part: .url, request: request(.get, nil, nil), base: "https://user:secret@h"),
            Refusal(part: .url, request: request(.get, nil, nil), base: "relative"),
        ])
    func `a request that no URL can express is refused, and its part is named`(row: Refusal) {
        let error = #expect(throws: HTTPTypesError.self) {
            _ = try NetworkRequest(row.request, baseURL: row.base.flatMap { URL(string: $0) })
        }
        #expect(error?.part == row.part)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `an extended CONNECT is refused`() {
        var request = Self.request()
        request.extendedConnectProtocol = "websocket"
        #expect(throws: HTTPTypesError(.extendedConnectProtocol, "it belongs to CONNECT (RFC 8441 §4)")) {
            _ = try NetworkRequest(request)
        }
    }

    @Test func `a URL with user information and a method that is not a token are refused`() throws {
        let url = try #require(URL(string: "https://user:secret@example.com/"))
        let error = #expect(throws: HTTPTypesError.self) { try HTTPRequest(NetworkRequest(url: url)) }
        #expect(error?.part == .url)
        let plain = try #require(URL(string: "https://example.com/"))
        let other = #expect(throws: HTTPTypesError.self) {
            try HTTPRequest(NetworkRequest(method: RequestMethod(rawValue: "GET /"), url: plain))
        }
        #expect(other?.part == .method)
    }

    @Test(arguments: [100, 200, 304, 599, 999]) func `a response keeps its status and fields in both directions`(status: Int)
        throws
    {
        let url = try #require(URL(string: "https://example.com/"))
        let response = NetworkResponse(statusCode: status, headers: ["Set-Cookie": "a", "set-cookie": "b"], url: url)
        let converted = try HTTPResponse(response)
        #expect(converted.status.code == status)
        #expect(NetworkResponse(converted, url: url).headers.lines == response.headers.lines)
        #expect(NetworkResponse(converted, url: url).statusCode == status)
    }

    @Test(arguments: [Int.min, -1, 0, 99, 1000, Int.max]) func `a status without three digits is refused`(status: Int) throws {
        let url = try #require(URL(string: "https://example.com/"))
        let error = #expect(throws: HTTPTypesError.self) { try HTTPResponse(NetworkResponse(statusCode: status, url: url)) }
        #expect(error?.part == .status)
    }
}
