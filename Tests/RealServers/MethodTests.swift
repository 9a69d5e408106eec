import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    struct MethodTests {
        @Test(arguments: Engine.all, [RequestMethod.post, .put, .patch, .delete])
        func `a method and its body are sent unchanged`(engine: Engine, method: RequestMethod) async throws {
            let body = Data("grüße + & = %20\n".utf8)
            let response = try await engine.session().send(
                method, "\(Servers.httpbin)/anything?a=b", headers: ["Content-Type": "text/plain"], body: body)
            let echo = try response.echo
            #expect(echo.method == method.rawValue)
            #expect(echo.data == "grüße + & = %20\n")
            #expect(echo.headers["Content-Type"] == "text/plain")
            #expect(echo.args == ["a": "b"])
        }

        /// RFC 10008.
        @Test(arguments: Engine.all) func `a QUERY is sent with its content, as h11 reads it, and over HTTP 2`(engine: Engine)
            async throws
        {
            struct Reading: Decodable {
                var method: String
                var target: String
                var body: Data
            }
            let content = Data(#"{"title":"x"}"#.utf8)
            let type: HeaderFields = ["Content-Type": "application/json"]
            let response = try await engine.session().send(.query, Servers.echo + "/search?a=b", headers: type, body: content)
            let reading = try JSONDecoder().decode(Reading.self, from: response.data)
            #expect(reading.method == "QUERY" && reading.target == "/search?a=b" && reading.body == content)
            guard engine.isOurs else { return }
            #expect(try await engine.trusting().send(.query, Servers.h2 + "/ok", headers: type, body: content).text == "ok")
        }

        @Test(arguments: Engine.all) func `a GET has no body and no Content-Length`(engine: Engine) async throws {
            let echo = try await engine.session().send(.get, "\(Servers.httpbin)/anything").echo
            #expect(echo.method == "GET")
            #expect(echo.data == "")
            #expect(echo.headers["Content-Length"] == nil)
            #expect(echo.headers["Content-Type"] == nil)
        }

        /// RFC 9110 §8.6.
        @Test(arguments: Engine.all, [RequestMethod.post, .put, .patch])
        func `an empty body is sent with a Content-Length of 0 if the method expects content`(
            engine: Engine, method: RequestMethod
        )
            async throws
        {
            let echo = try await engine.session().send(method, "\(Servers.httpbin)/anything").echo
            #expect(echo.method == method.rawValue)
            #expect(echo.headers["Content-Length"] == "0")
        }

        @Test(arguments: Engine.all, [Servers.nginx + "/files/10mb.bin", Servers.httpbin + "/get"])
        func `the response to a HEAD has the Content-Length of the body that a GET returns`(engine: Engine, url: String)
            async throws
        {
            let session = engine.session()
            let head = try await session.send(.head, url)
            #expect(head.statusCode == 200)
            #expect(head.data.isEmpty)
            let body = try await session.send(.get, url).data
            #expect(head.headers["Content-Length"] == "\(body.count)")
        }

        @Test(arguments: Engine.all) func `the response to an OPTIONS request lists the allowed methods`(engine: Engine)
            async throws
        {
            let response = try await engine.session().send(.options, "\(Servers.httpbin)/get")
            #expect(response.statusCode == 200)
            let allowed = response.headers["Allow"]?.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            #expect(Set(allowed ?? []).isSuperset(of: ["GET", "HEAD", "OPTIONS"]))
            #expect(response.data.isEmpty)
        }

        @Test(arguments: Engine.all) func `an unknown method is sent unchanged`(engine: Engine) async throws {
            let session = engine.session()
            #expect(try await session.send(RequestMethod("PURGE"), "\(Servers.httpbin)/get").statusCode == 405)
            #expect(try await session.send(.get, "\(Servers.httpbin)/get").statusCode == 200)
        }
    }
}
