import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// Cookies that httpbin sets and removes in redirects, over HTTP/1.1, and over HTTP/2 of nginx in front of it.
    @Suite(.timeLimit(.minutes(10))) struct CookieTests {
        private struct Page: Decodable {
            var cookies: [String: String]
        }

        private static func cookies(_ session: any NetworkSessionManager, _ url: String) async throws -> [String: String] {
            try JSONDecoder().decode(Page.self, from: try await session.send(.get, url).data).cookies
        }

        /// URLSession on Linux cannot trust the authority of nginx's certificate, so it sends to httpbin only.
        private static func session(_ engine: Engine, _ cookies: SessionCookies) -> any NetworkSessionManager {
            engine.session {
                $0.cookies = cookies
                if engine.isOurs { $0.trust = Servers.trust }
            }
        }

        @Test(arguments: Engine.all) func `cookies of redirects are sent with the next request`(engine: Engine) async throws {
            for server in engine.isOurs ? [Servers.httpbin, Servers.h2] : [Servers.httpbin] {
                let store = CookieStore()
                let session = Self.session(engine, .stored(in: store))
                #expect(try await Self.cookies(session, "\(server)/cookies/set?id=7&name=a") == ["id": "7", "name": "a"])
                #expect(store.cookies.map(\.name).sorted() == ["id", "name"])
                #expect(try await Self.cookies(session, "\(server)/cookies/delete?id") == ["name": "a"])
                // Another session manager with the same store, and then one without.
                let other = Self.session(engine, .stored(in: store))
                #expect(try await Self.cookies(other, "\(server)/cookies") == ["name": "a"])
                let without = Self.session(engine, .ignored)
                #expect(try await Self.cookies(without, "\(server)/cookies/set?id=7") == [:])
            }
        }

        @Test(arguments: Engine.ours) func `stored cookies replace a blank field of the request`(engine: Engine) async throws {
            let store = CookieStore()
            try store.set(StoredCookie(name: "id", value: "a:b", domain: "127.0.0.1"))
            for server in [Servers.tls, Servers.h2] {
                let response = try await Self.session(engine, .stored(in: store))
                    .send(.get, "\(server)/cookie", headers: ["Cookie": ""])
                #expect(response.text == "id=a:b", "\(server)")
            }
        }

        @Test(arguments: Engine.ours) func `a saved store has the cookies that httpbin has set`(engine: Engine) async throws {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("cookies-\(UUID().uuidString).json")
            defer { try? FileManager.default.removeItem(at: file) }
            let store = CookieStore()
            let session = engine.session { $0.cookies = .stored(in: store) }
            _ = try await session.send(.get, "\(Servers.httpbin)/cookies/set?id=7")
            try store.save(to: file, includesSessionCookies: true)
            let loaded = try CookieStore(contentsOf: file)
            let later = engine.session { $0.cookies = .stored(in: loaded) }
            #expect(try await Self.cookies(later, "\(Servers.httpbin)/cookies") == ["id": "7"])
        }
    }
}
