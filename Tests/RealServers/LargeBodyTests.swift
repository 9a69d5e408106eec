import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    struct LargeBodyTests {
        @Test(arguments: Engine.all) func `ten megabytes are downloaded`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.nginx)/files/10mb.bin")
            #expect(response.data == Servers.tenMegabytes)
            #expect(response.headers["Content-Length"] == "10485760")
            if engine.measures { #expect(response.timings.bytesReceived == 10_485_760) }
        }

        /// httpbin responds with what it received: ten megabytes up, ten down.
        @Test(arguments: Engine.all, [Servers.httpbin, Servers.otherHttpbin])
        func `ten megabytes are uploaded`(engine: Engine, server: String) async throws {
            let text = String(decoding: Servers.tenMegabytes.map { 0x61 + $0 % 26 }, as: UTF8.self)
            let response = try await engine.session().send(
                .post, "\(server)/anything", headers: ["Content-Type": "text/plain"], body: Data(text.utf8))
            let echo = try response.echo
            #expect(echo.headers["Content-Length"] == "10485760")
            #expect(echo.headers["Expect"] == nil)
            // `#expect(a == b)` would print both bodies if they differ.
            let isSame = echo.data == text
            #expect(isSame)
            if engine.measures { #expect(response.timings.bytesSent == 10_485_760) }
        }

        @Test(arguments: Engine.all) func `a large body is sent again after a redirect with status 307`(engine: Engine)
            async throws
        {
            let body = Data(repeating: 0x78, count: 2 << 20)
            let response = try await engine.session().send(
                .put, "\(Servers.nginx)/keeps-method", headers: ["Content-Type": "text/plain"], body: body)
            #expect(try response.echo.data.utf8.count == body.count)
        }

        @Test(arguments: Engine.all, ["files", "chunked"])
        func `a body above the limit is an error that names the limit`(engine: Engine, folder: String) async throws {
            let session = engine.session { $0.maximumBodyBytes = 1 << 20 }
            let error = try await session.failure(.get, "\(Servers.nginx)/\(folder)/10mb.bin")
            #expect(error.code == .bodyTooLarge)
            #expect(error.message.contains("maximumBodyBytes"))
            #expect(try await session.send(.get, "\(Servers.nginx)/ok").text == "ok")
        }

        @Test(arguments: Engine.all) func `the response to a refused upload is returned`(engine: Engine) async throws {
            let response = try await engine.session().send(
                .post, "\(Servers.nginx)/ok", body: Data(repeating: 0, count: 65 << 20))
            #expect(response.statusCode == 413)
        }
    }
}
