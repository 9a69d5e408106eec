import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    struct ContentCodingTests {
        @Test(arguments: Engine.all, [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")])
        func `a body with a content coding is decoded`(engine: Engine, coding: (path: String, flag: String)) async throws {
            let response = try await engine.session().send(.get, "\(Servers.httpbin)/\(coding.path)")
            #expect(response.statusCode == 200)
            #expect(response.headers["Content-Encoding"] == (coding.path == "brotli" ? "br" : coding.path))
            #expect(response.text.contains("\"\(coding.flag)\": true"))
        }

        @Test(arguments: Engine.all) func `ten megabytes with gzip are decoded completely`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.nginx)/compressed/10mb.bin")
            #expect(response.headers["Content-Encoding"] == "gzip")
            #expect(response.data == Servers.tenMegabytes)
        }

        @Test(arguments: Engine.all) func `the body limit counts decoded bytes`(engine: Engine) async throws {
            let session = engine.session { $0.maximumBodyBytes = 8 << 20 }
            let error = try await session.failure(.get, "\(Servers.nginx)/compressed/10mb.bin")
            #expect(error.code == .bodyTooLarge)
        }

        @Test(arguments: Engine.all) func `a response is not encoded if identity is requested`(engine: Engine) async throws {
            let response = try await engine.session().send(
                .get, "\(Servers.nginx)/compressed/hello.txt", headers: ["Accept-Encoding": "identity"])
            #expect(response.headers["Content-Encoding"] == nil)
            #expect(response.text == "hello, world\n")
        }

        @Test(arguments: Engine.all.filter(\.leavesEncodedBodies))
        func `a requested content coding is not decoded`(engine: Engine) async throws {
            let response = try await engine.session().send(
                .get, "\(Servers.nginx)/compressed/hello.txt", headers: ["Accept-Encoding": "gzip"])
            #expect(response.headers["Content-Encoding"] == "gzip")
            #expect(response.data.prefix(2) == Data([0x1F, 0x8B]))
        }
    }
}
