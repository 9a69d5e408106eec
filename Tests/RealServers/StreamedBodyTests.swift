import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    struct StreamedBodyTests {
        @Test(arguments: Engine.all) func `a chunked body of lines is received completely`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.httpbin)/stream/20")
            #expect(response.headers["Transfer-Encoding"] == (Engine.requiredVersion != nil ? nil : "chunked"))
            #expect(response.headers["Content-Length"] == nil)
            let lines = response.data.split(separator: UInt8(ascii: "\n"))
            #expect(lines.count == 20)
            struct Line: Decodable { var id: Int }
            #expect(try lines.map { try JSONDecoder().decode(Line.self, from: $0).id } == Array(0..<20))
        }

        @Test(arguments: Engine.all, [10, 777, 10_240, 100_000])
        func `a chunked body with chunks of any size is received completely`(engine: Engine, chunk: Int) async throws {
            let response = try await engine.session().send(
                .get, "\(Servers.httpbin)/stream-bytes/100000?seed=7&chunk_size=\(chunk)")
            #expect(response.headers["Transfer-Encoding"] == (Engine.requiredVersion != nil ? nil : "chunked"))
            #expect(response.data.count == 100_000)
        }

        @Test(arguments: Engine.all) func `ten megabytes in chunks are received completely`(engine: Engine) async throws {
            let response = try await engine.session().send(.get, "\(Servers.nginx)/chunked/10mb.bin")
            #expect(response.headers["Transfer-Encoding"] == (Engine.requiredVersion != nil ? nil : "chunked"))
            #expect(response.data == Servers.tenMegabytes)
        }

        @Test(arguments: Engine.all) func `a body that is sent slowly is received completely`(engine: Engine) async throws {
            let response = try await engine.session { $0.idleTimeout = .seconds(60) }.send(
                .get, "\(Servers.httpbin)/drip?duration=1&numbytes=10&code=203&delay=0")
            #expect(response.statusCode == 203)
            #expect(response.text == "**********")
            #expect(response.timings.total > .milliseconds(700))
        }

        @Test(arguments: Engine.all) func `a range request returns the requested part`(engine: Engine) async throws {
            let response = try await engine.session().send(
                .get, "\(Servers.nginx)/files/10mb.bin", headers: ["Range": "bytes=1000000-1000099"])
            #expect(response.statusCode == 206)
            #expect(response.headers["Content-Range"] == "bytes 1000000-1000099/10485760")
            #expect(response.data == Servers.tenMegabytes[1_000_000..<1_000_100])
        }
    }
}
