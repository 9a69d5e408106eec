import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    struct CookieTests {
        @Test(arguments: Engine.all) func `a cookie that a server has set is not sent by default`(engine: Engine) async throws {
            let session = engine.session()
            let first = try await session.send(.get, "\(Servers.nginx)/cookie")
            #expect(first.headers["Set-Cookie"]?.hasPrefix("a=b") == true)
            #expect(try await session.send(.get, "\(Servers.nginx)/cookie").text == "")
            let after = try await session.send(.get, "\(Servers.httpbin)/cookies/set?name=value")
            #expect(after.url.path == "/cookies")
            #expect(!after.text.contains("value"))
            #expect(!(try await session.send(.get, "\(Servers.httpbin)/cookies").text.contains("value")))
        }

        @Test(arguments: Engine.all.filter(\.keepsHeaderLines))
        func `each Set-Cookie field of a response can be read`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.nginx)/cookie")
            #expect(response.headers.values(for: "set-cookie") == ["a=b; Path=/", "c=d"])
        }

        @Test(arguments: Engine.all) func `a Cookie field that the caller sets is sent`(engine: Engine) async throws {
            let session = engine.session()
            _ = try await session.send(.get, "\(Servers.nginx)/cookie")
            let response = try await session.send(.get, "\(Servers.nginx)/cookie", headers: ["Cookie": "x=y; z=1"])
            #expect(response.text == "x=y; z=1")
        }
    }
}
