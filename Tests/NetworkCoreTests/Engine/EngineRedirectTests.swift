#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkTesting
    import Testing
    import TransferTestSupport

    @Suite(.timeLimit(.minutes(10)), .alsoOverURLSession)
    struct EngineRedirectTests {
        let session = testedSession()

        @Test func `the body is sent again after a redirect with status 307 or 308`() async throws {
            let body = Data(repeating: 3, count: 200_000)
            for status in [307, 308] {
                let server = try LoopbackServer {
                    LoopbackRoute(.put, "/from") { _ in .status(status, headers: ["Location": "to"]) }
                    LoopbackRoute(.put, "/to") { request in LoopbackResponse(body: request.body) }
                }
                let response = try await session.response(for: server.request("/from", method: .put, body: body))
                #expect(response.data == body && response.url == server.url("/to") && response.timings.redirects == 1)
            }
        }

        @Test func `credentials are removed from a cross-origin redirect`() async throws {
            let other = try LoopbackServer { _ in .text("other") }
            let target = other.url("/landing").absoluteString
            let server = try LoopbackServer {
                LoopbackRoute(.get, "/same") { _ in .status(302, headers: ["Location": "/end"]) }
                LoopbackRoute(.get, "/end") { _ in .text("end") }
                LoopbackRoute(.get, "/away") { _ in .status(302, headers: ["Location": target]) }
            }
            let secrets: HeaderFields = [
                "Authorization": "Bearer s", "Cookie": "a=1", "X-Api-Key": "k", "Proxy-Authorization": "p", "X-Member": "7",
                "Referer": "/a",
                "Host": "virtual.example",
            ]
            let headers = secrets.replacing(with: ["Accept-Language": "en"])
            _ = try await session.response(for: server.request("/same", headers: headers))
            let same = try #require(server.requests.last).headers
            for field in secrets where field.name != "Proxy-Authorization" { #expect(same[field.name] == field.value) }
            #expect(!same.contains("Proxy-Authorization"), "meant for a proxy, and for no server (RFC 9110 §11.7.2)")
            _ = try await session.response(for: server.request("/away", headers: headers))
            let away = try #require(other.requests.first).headers
            #expect(away["Accept-Language"] == "en" && away["Host"] == "127.0.0.1:\(other.port)")
            for field in secrets where field.name != "Host" { #expect(!away.contains(field.name), "\(field.name)") }
        }

        @Test func `a redirect loop ends at the limit for redirects`() async throws {
            let server = try LoopbackServer { _ in .status(302, headers: ["Location": "/"]) }
            let error = try await failure(of: session, server.request("/"))
            #expect(error.code == .tooManyRedirects && error.message.contains("10") && error.message.contains("maximumRedirects"))
            #expect(server.requestCount == 11)
        }

        @Test(arguments: ["ftp://127.0.0.1/x", "file:///etc/passwd", "data:text/plain,x", "http://", "https://"])
        func `a redirect to a URL that is not a valid HTTP URL is refused`(location: String) async throws {
            let server = try LoopbackServer { _ in .status(302, headers: ["Location": location]) }
            #expect(try await failure(of: session, server.request("/")).code == .redirectRefused)
        }

        @Test func `if no redirects are allowed, the redirect itself is returned as the response`() async throws {
            let server = try LoopbackServer { _ in .status(302, headers: ["Location": "/"]) }
            let session = testedSession { $0.maximumRedirects = 0 }
            let response = try await session.response(for: server.request("/"))
            #expect(response.statusCode == 302 && response.headers["Location"] == "/")
        }
    }
#endif
