import Endpoints
import Foundation
import NetworkTesting
import Testing

import NetworkCore
@testable import NetworkTransport
@testable import NetworkURLSession

extension URLSessionTests {
    /// Each test runs with both engines.
    @Suite(.timeLimit(.minutes(10))) struct URLSessionCookieTests {
        private static func managers(_ cookies: SessionCookies) -> [any NetworkSessionManager] {
            let configuration = SessionConfiguration { $0.cookies = cookies }
            return [DefaultSessionManager(configuration: configuration), URLSessionManager(configuration: configuration)]
        }

        private static func server() throws -> LoopbackServer {
            try LoopbackServer { request in
                switch request.path {
                case "/login":
                    LoopbackResponse(
                        status: 302,
                        headers: [
                            "Set-Cookie": "id=7; Path=/; SameSite=Strict", "Set-Cookie": "b=2; Path=/in", "Location": "/in",
                        ])
                default: .text(request.headers["Cookie"] ?? "")
                }
            }
        }

        @Test func `a store is used by several session managers of both engines, with redirects too`() async throws {
            let server = try Self.server()
            for index in 0..<2 {
                let store = CookieStore()
                let managers = Self.managers(.stored(in: store))
                let response = try await managers[index].response(for: NetworkRequest(url: server.url("/login")))
                #expect(Set(response.text.components(separatedBy: "; ")) == ["b=2", "id=7"], "\(managers[index])")
                #expect(Set(store.cookies.map(\.name)) == ["id", "b"])
                for manager in managers {
                    let own = NetworkRequest(url: server.url("/"), headers: ["Cookie": "x=y"])
                    #expect(try await manager.response(for: own).text == "x=y; id=7")
                }
            }
        }

        @Test func `cookies are separate by configuration, and not stored by default`() async throws {
            let server = try Self.server()
            for managers in [Self.managers(.separate), Self.managers(.ignored)] {
                for manager in managers {
                    let text = try await manager.response(for: NetworkRequest(url: server.url("/login"))).text
                    #expect(text.isEmpty == manager.cookieStore.map { _ in false } ?? true)
                }
            }
            for manager in Self.managers(.separate) {
                #expect(try await manager.response(for: NetworkRequest(url: server.url("/"))).text == "")
            }
        }

        @Test func `a redirect from another site is not sent with cookies that are Strict`() async throws {
            let server = try LoopbackServer { .text($0.headers["Cookie"] ?? "") }
            let target = server.url("/").absoluteString
            let other = try LoopbackServer { _ in .status(307, headers: ["Location": target]) }
            let foreign = try #require(
                URL(string: other.url("/").absoluteString.replacingOccurrences(of: "127.0.0.1", with: "localhost")))
            let store = CookieStore()
            for (name, sameSite) in [("s", StoredCookie.SameSite.strict), ("l", .lax), ("u", .unspecified)] {
                try store.set(StoredCookie(name: name, value: "1", domain: "127.0.0.1", sameSite: sameSite))
            }
            for manager in Self.managers(.stored(in: store)) {
                #expect(
                    try await manager.response(for: NetworkRequest(url: other.url("/"))).text == "s=1; l=1; u=1", "another port")
                #expect(try await manager.response(for: NetworkRequest(url: foreign)).text == "l=1; u=1")
                #expect(try await manager.response(for: NetworkRequest(method: .post, url: foreign)).text == "u=1")
            }
        }
    }
}
