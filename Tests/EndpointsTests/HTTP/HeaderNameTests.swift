import Endpoints
import Testing

@Suite struct HeaderNameTests {
    @Test func `names and strings denote the same fields`() {
        var headers: HeaderFields = ["content-type": "text/plain"]
        #expect(headers[.contentType] == "text/plain")
        headers[.accept] = "text/csv"
        #expect(headers["ACCEPT"] == "text/csv")
        headers[.contentType] = nil
        #expect(!headers.contains("Content-Type"))
        #expect(headers[HeaderName(rawValue: "Accept")] == "text/csv")
    }

    @Test func `statuses can be compared and accepted`() {
        let endpoint = Endpoint<Void>(path: "a", acceptedStatuses: [.ok, .notFound])
        #expect(endpoint.acceptedStatuses.contains(404) && !endpoint.acceptedStatuses.contains(StatusCode.gone))
    }
}
