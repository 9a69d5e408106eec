import Endpoints
import Foundation
import Testing
import TestSupport

@Suite struct PathErrorTests {
    @Test(arguments: ["a\rb", "a\nb", "a\0b", "a\tb", "a\u{7F}b", "a\r\nHost: evil", "a?b=\n"])
    func `control characters in a path are refused`(path: String) throws {
        #expect(try Endpoint.make(path).generationError().field == .path)
    }

    @Test(arguments: ["100%", "a%2", "a%zz", "a%%41", "a?b=%", "%\u{661}1"])
    func `a percent sign without two hexadecimal digits is refused`(path: String) throws {
        #expect(try Endpoint.make(path).generationError().field == .path)
    }

    @Test(
        arguments: [
            "", "a/b", "/a", "//h.example/a", "h.example/a", "ftp://h.example/", "https:", "https://", "https:///a", "https:/a",
            "https://:80/", "https://user@/", "https://h:99999/", "https://h:80x/", "https://h:-1/", "https://[]/",
            "https://[zz]/",
            "https://[::1/", "https://[::1]x/", "https://a b/", "https://h<x>/", "https://a:b:c/", "javascript:alert(1)",
            "file:///etc/passwd", "ht\u{301}tp://h/", "://h/",
        ]
    )
    func `a full path that is not an http URL is refused`(path: String) throws {
        #expect(try Endpoint.make(path, isFullPath: true).generationError().field == .path)
    }

    @Test(
        arguments: [
            "http://other.example/a", "https://other.example", "HTTPS://other.example/a?token=hunter2", "http://user:hunter2@h/",
            "http://{host}/a",
        ])
    func `a path that is a full URL is an error unless isFullPath is true`(path: String) throws {
        let endpoint = Endpoint.make(path, pathParameters: path.contains("{") ? ["host": "h"] : [:])
        let error = try endpoint.generationError()
        #expect(error.field == .path && error.reason.contains("isFullPath") && !error.reason.contains("hunter2"), "\(error)")
    }

    @Test(arguments: ["ftp://\u{301}user:hunter2@h/%zz", "a://user:hunter2@h/\u{1}"])
    func `an error about a path with an authority does not contain its user information`(path: String) throws {
        let error = try Endpoint.make(path).generationError()
        #expect(error.field == .path && !error.reason.contains("hunter2"), "\(error)")
    }

    @Test(arguments: ["http:/a", "httpsfiles/a", "a/http://b", "{url}"])
    func `a path that only looks like a URL is joined to the base URL`(path: String) throws {
        let endpoint = Endpoint.make(path, pathParameters: path == "{url}" ? ["url": "http://other.example"] : [:])
        #expect(try endpoint.networkRequest(with: APIConfiguration("https://api.test")).url.host == "api.test")
    }
}
