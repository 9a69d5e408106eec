import Foundation
import NetworkLogging
import Testing

struct RecordDescriptionTests {
    @Test func `a request prints number, method, redacted URL and size`() {
        let request = LoggedRequest.make("PUT", "https://a:b@x/?sig=1", headers: ["Authorization": "Basic abc"], body: "{}")
        #expect(request.description == "[network] > #7 PUT https://<redacted>@x/?sig=<redacted> (2 bytes)")
        #expect(request.debugDescription.hasSuffix("\n    | Authorization: <redacted>"))
    }

    @Test func `a response prints status, duration and size`() {
        var response = LoggedResponse.make(headers: ["Set-Cookie": "a=b"], body: "abc")
        response.url = URL(string: "https://x/?code=abc")
        #expect(response.description == "200 https://x/?code=<redacted> in 12.3 ms, 3 bytes")
        #expect(response.debugDescription.hasSuffix("Set-Cookie: <redacted>"))
    }

    @Test func `a body prints its source and size and never its bytes`() {
        #expect(LoggedBody.data(Data("abc".utf8)).description == "3 bytes")
        #expect(LoggedBody.stream(bytes: nil).description == "stream, unknown size")
        #expect(
            LoggedBody.file(URL(fileURLWithPath: "/tmp/x", isDirectory: false), bytes: 1).description
                == "file file:///tmp/x, 1 byte")
    }

    @Test func `headers are found regardless of case`() {
        #expect(LoggedRequest.make(headers: ["content-TYPE": "a"]).header("Content-Type") == "a")
        #expect(LoggedResponse.make().header("Content-Type") == nil)
    }
}
