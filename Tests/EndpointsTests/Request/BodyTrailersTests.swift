import Foundation
import Testing
import TestSupport

@testable import Endpoints

/// Which trailer fields a request can announce (RFC 9110 §6.5.1).
@Suite struct BodyTrailersTests {
    private func request(_ body: NetworkBody) -> NetworkRequest {
        NetworkRequest(method: .post, url: URL(string: "https://api.example/")!, body: body)
    }

    private func failure(_ body: NetworkBody) -> RequestGenerationError? {
        do throws(RequestGenerationError) {
            try request(body).validate()
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [
        "Transfer-Encoding", "content-length", "Host", "HOST", "Trailer", "TE", "Connection", "Authorization", "Cookie",
        "Set-Cookie", "Content-Type", "Content-Encoding", "Content-Range", "Cache-Control", "Expect", "Range", "If-Match",
        "If-Anything", "Proxy-Authorization", "WWW-Authenticate", "", "a b", "x\r\ny", "é",
    ])
    func `a field that must not be in trailers is an error that names it`(name: String) {
        #expect(failure(.data(Data()).withTrailers(["X-A", name]) { [:] })?.field == .headerName(name))
    }

    @Test func `fields that may be in trailers are accepted, at most 100 of them`() {
        let names = ["Content-Digest", "Repr-Digest", "ETag", "Server-Timing", "X-Checksum", "Signature"]
        #expect(failure(.data(Data()).withTrailers(names) { [:] }) == nil)
        #expect(failure(.data(Data()).withTrailers((0..<100).map { "X-\($0)" }) { [:] }) == nil)
        let error = failure(.data(Data()).withTrailers((0..<101).map { "X-\($0)" }) { [:] })
        #expect(error?.field == .headerName("Trailer") && error?.reason.contains("at most 100") == true)
    }

    @Test func `a part of a form must not have trailers`() throws {
        for content in [NetworkBody.data(Data("a".utf8)), .stream(Pieces(of: Data("a".utf8), size: 1))] {
            var form = MultipartForm()
            form.append(content.withDigestTrailer(), name: "part")
            let error = #expect(throws: RequestGenerationError.self) { try form.content() }
            #expect(error?.field == .body && error?.reason.contains("part") == true)
        }
    }

    @Test func `a body with trailers is not empty, and is equal only to its copies`() {
        let body = NetworkBody.data(Data())
        let first = body.withDigestTrailer()
        #expect(!first.isEmpty && body.isEmpty && first.isReplayable)
        #expect(first == first.withDigestTrailer() && first != body && first != body.withDigestTrailer())
        #expect("\(first)" == "0-byte body with trailers")
        #expect(first.withTrailers(["X-A"]) { [:] }.trailers?.names == ["Content-Digest", "X-A"])
        var get = request(first)
        get.method = .get
        #expect(throws: RequestGenerationError.self) { try get.validate() }
    }
}
