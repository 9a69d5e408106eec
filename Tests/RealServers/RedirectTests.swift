import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    struct RedirectTests {
        struct Row: Sendable, CustomTestStringConvertible {
            var status: Int
            var method: RequestMethod
            var becomes: RequestMethod
            var testDescription: String { "\(status) \(method)" }

            init(_ status: Int, _ method: RequestMethod, becomes: RequestMethod) {
                self.status = status
                self.method = method
                self.becomes = becomes
            }
        }

        private static let rows = [
            // RFC 9110 §15.4.2
            Row(301, .get, becomes: .get), Row(301, .post, becomes: .get), Row(301, .put, becomes: .put),
            // RFC 9110 §15.4.3
            Row(302, .get, becomes: .get), Row(302, .post, becomes: .get), Row(302, .delete, becomes: .delete),
            // RFC 9110 §15.4.4
            Row(303, .get, becomes: .get), Row(303, .post, becomes: .get), Row(303, .put, becomes: .get),
            // RFC 9110 §15.4.8
            Row(307, .get, becomes: .get), Row(307, .post, becomes: .post), Row(307, .put, becomes: .put),
            // RFC 9110 §15.4.9
            Row(308, .get, becomes: .get), Row(308, .post, becomes: .post), Row(308, .patch, becomes: .patch),
        ]

        @Test(arguments: Engine.all, rows)
        func `the method and body are kept or changed after a redirect, depending on its status`(engine: Engine, row: Row)
            async throws
        {
            let target = "\(Servers.httpbin)/anything/target"
            let response = try await engine.session().send(
                row.method, redirect(to: target, status: row.status),
                headers: row.method == .get ? [:] : ["Content-Type": "text/plain"],
                body: row.method == .get ? nil : Data("once more".utf8))
            let echo = try response.echo
            #expect(echo.method == row.becomes.rawValue)
            #expect(echo.data == (row.becomes == .get ? "" : "once more"))
            #expect(echo.headers["Content-Type"] == (row.becomes == .get ? nil : "text/plain"))
            #expect(response.url.absoluteString == target)
            #expect(response.timings.redirects == 1)
        }

        @Test(arguments: Engine.all, [301, 302, 303, 307, 308])
        func `a HEAD stays a HEAD after a redirect`(engine: Engine, status: Int) async throws {
            let response = try await engine.session().send(.head, redirect(to: "\(Servers.httpbin)/get", status: status))
            #expect(response.statusCode == 200)
            #expect(response.data.isEmpty)
            #expect(response.url.path == "/get")
        }

        @Test(arguments: Engine.all, ["absolute-redirect", "relative-redirect", "redirect"])
        func `a chain of redirects is followed to its target`(engine: Engine, path: String) async throws {
            let response = try await engine.session().send(.get, "\(Servers.httpbin)/\(path)/3")
            #expect(response.statusCode == 200)
            #expect(response.url.absoluteString == "\(Servers.httpbin)/get")
            #expect(response.timings.redirects == 3)
        }

        /// RFC 3986 §5.2.4: the location is resolved against the path of the redirected request.
        @Test(arguments: Engine.all) func `a relative Location can refer to a parent folder`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.nginx)/a/b/relative")
            #expect(response.text == "/a/c?d=e")
            #expect(response.url.absoluteString == "\(Servers.nginx)/a/c?d=e")
        }

        @Test(arguments: Engine.all) func `by default, ten redirects are followed and eleven are an error`(engine: Engine)
            async throws
        {
            let session = engine.session()
            #expect(try await session.send(.get, "\(Servers.httpbin)/relative-redirect/10").statusCode == 200)
            let error = try await session.failure(.get, "\(Servers.httpbin)/relative-redirect/11")
            #expect(error.code == .tooManyRedirects)
            #expect(error.message.contains("maximumRedirects"))
        }

        @Test(arguments: Engine.all, ["/loop", "/ping"]) func `a redirect loop ends at the limit for redirects`(
            engine: Engine, path: String
        ) async throws {
            #expect(try await engine.session().failure(.get, Servers.nginx + path).code == .tooManyRedirects)
        }

        @Test(arguments: Engine.all) func `if no redirects are allowed, the redirect itself is returned as the response`(
            engine: Engine
        ) async throws {
            let session = engine.session { $0.maximumRedirects = 0 }
            let response = try await session.send(.get, redirect(to: "/get", status: 307))
            #expect(response.statusCode == 307)
            #expect(response.headers["Location"]?.hasSuffix("/get") == true)
        }

        @Test(arguments: Engine.all) func `a redirect status without a Location is returned as a response`(engine: Engine)
            async throws
        {
            #expect(try await engine.session().send(.get, "\(Servers.nginx)/multiple-choices").statusCode == 300)
        }

        @Test(arguments: Engine.all, ["ftp://127.0.0.1/file", "file:///etc/passwd", "data:text/plain,a"])
        func `a redirect to another scheme is refused`(engine: Engine, target: String) async throws {
            #expect(try await engine.session().failure(.get, redirect(to: target)).code == .redirectRefused)
        }

        @Test(arguments: Engine.all, [301, 302, 303, 307, 308])
        func `credentials are removed from a cross-origin redirect`(engine: Engine, status: Int) async throws {
            let headers: HeaderFields = [
                "Authorization": "Bearer canary", "Cookie": "session=canary", "X-Api-Key": "canary", "X-Member": "canary",
                "Accept-Language": "kept",
            ]
            let session = engine.session()
            let across = redirect(to: "\(Servers.otherHttpbin)/anything", status: status)
            let foreign = try await session.send(.get, across, headers: headers)
            #expect(!foreign.text.contains("canary"))
            #expect(try foreign.echo.headers["Accept-Language"] == "kept")
            let within = redirect(to: "\(Servers.httpbin)/anything", status: status)
            let own = try await session.send(.get, within, headers: headers).echo
            #expect(own.headers["Authorization"] == "Bearer canary")
            #expect(own.headers["Cookie"] == "session=canary")
            #expect(own.headers["X-Api-Key"] == "canary")
        }

        @Test(arguments: Engine.all) func `user information is removed from a cross-origin redirect`(engine: Engine) async throws
        {
            let start = redirect(to: "\(Servers.otherHttpbin)/anything").with(userInformation: "user:canary")
            let response = try await engine.session().send(.get, start)
            #expect(response.statusCode == 200)
            #expect(try response.echo.headers["Authorization"] == nil)
        }

        @Test(arguments: Engine.all, [307, 308])
        func `the body is sent again after a cross-origin redirect with status 307 or 308`(engine: Engine, status: Int)
            async throws
        {
            let response = try await engine.session().send(
                .post, redirect(to: "\(Servers.otherHttpbin)/anything", status: status),
                headers: ["Content-Type": "text/plain"], body: Data("along".utf8))
            #expect(try response.echo.method == "POST")
            #expect(try response.echo.data == "along")
        }

        private func redirect(to target: String, status: Int = 302) -> String {
            "\(Servers.httpbin)/redirect-to?url=\(target.encoded)&status_code=\(status)"
        }
    }
}
