import DataTransfer
import Foundation
import Testing
import TransferTestSupport

extension RealServerTests {
    /// Requests as parsed by h11, which refuses everything that RFC 9112 does not permit.
    @Suite(.timeLimit(.ofStorm)) struct WireTests {
        private struct Reading: Decodable {
            var method: String
            var target: String
            var version: String
            var headers: [[String]]
            var body: Data

            /// Returns the values of a header field. The server decodes bytes outside ASCII as ISO-8859-1.
            func values(for name: String) -> [String] {
                headers.filter { $0[0].lowercased() == name.lowercased() }
                    .map { String(decoding: $0[1].unicodeScalars.map { UInt8($0.value) }, as: UTF8.self) }
            }
        }

        private func read(
            _ session: any NetworkSessionManager, _ method: RequestMethod = .get, _ target: String = "/",
            headers: HeaderFields = [:],
            body: Data? = nil
        ) async throws -> Reading {
            let response = try await session.send(method, Servers.echo + target, headers: headers, body: body)
            #expect(response.statusCode == 200, "\(response.text)")
            return try JSONDecoder().decode(Reading.self, from: response.data)
        }

        @Test(
            arguments: Engine.all,
            ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "M-SEARCH", "X_1!#$%&'*+.^`|~"])
        func `a method is sent unchanged`(engine: Engine, name: String) async throws {
            let method = RequestMethod(rawValue: name)
            let reading = try await read(engine.session(), method, "/path;a=b/?q=1&q=%20")
            #expect(reading.method == name && reading.target == "/path;a=b/?q=1&q=%20" && reading.version == "1.1")
            #expect(reading.values(for: "Host") == [String(Servers.echo.dropFirst("http://".count))])
            #expect(reading.body.isEmpty)
        }

        @Test(
            arguments: Engine.ours,
            [
                "/", "/?", "/a//b", "/a/../b", "/a/./b", "/%7Euser/%2F", "/?a=b?c/d", "/;:@!$&'()*+,=", "/%C3%BC?%E2%82%AC=1",
                "/?" + String(repeating: "x", count: 8000),
            ])
        func `a request target is sent unchanged`(engine: Engine, target: String) async throws {
            #expect(try await read(engine.session(), .get, target).target == target)
        }

        @Test(
            arguments: Engine.ours,
            [
                "", "a", ":", ": a", "a:b:c", "\"quoted\"", "a,b;c=d", "(comment)", "a\tb", "ü€😀", "a: b", "HTTP/1.1 200",
                "%0D%0A", "\\r\\n", "@file", ";", String(repeating: "a", count: 16_000),
            ])
        func `a header value is sent unchanged`(engine: Engine, value: String) async throws {
            let headers: HeaderFields = ["X-First": value, "X-Second": "after", "Accept": value, "User-Agent": value]
            let reading = try await read(engine.session(), .post, headers: headers, body: Data("x".utf8))
            for name in ["X-First", "Accept", "User-Agent"] { #expect(reading.values(for: name) == [value]) }
            #expect(reading.values(for: "X-Second") == ["after"])
        }

        @Test(arguments: Engine.ours, ["a\r\nX-Smuggled: 1", "a\nb", "a\rb", "a\u{0}b", "\u{7F}", "\u{1}"])
        func `a header value with control characters is refused`(engine: Engine, value: String) async throws {
            let url = try #require(URL(string: Servers.echo))
            let error = await #expect(throws: TransportError.self) {
                _ = try await engine.session().response(for: NetworkRequest(url: url, headers: ["X-Value": value]))
            }
            #expect(error?.code == .invalidRequest)
        }

        @Test(arguments: Engine.ours) func `header fields keep their order, the case of their names, and their number`(
            engine: Engine
        ) async throws {
            var headers = HeaderFields()
            for number in 0..<100 { headers.add("\(number)", for: number % 2 == 0 ? "x-EVEN" : "X-odd") }
            let reading = try await read(engine.session(), headers: headers)
            let sent = reading.headers.filter { $0[0].lowercased().hasPrefix("x-") }
            #expect(sent == (0..<100).map { [$0 % 2 == 0 ? "x-EVEN" : "X-odd", "\($0)"] })
        }

        @Test(arguments: Engine.all, [0, 1, 32 << 10, (32 << 10) + 1, 200_000])
        func `a body is sent with exactly one Content-Length`(engine: Engine, size: Int) async throws {
            let session = engine.session()
            let body = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
            for method in [RequestMethod.post, .put, .patch] {
                let reading = try await read(session, method, body: body)
                #expect(reading.body == body)
                #expect(reading.values(for: "Content-Length") == ["\(size)"] && reading.values(for: "Transfer-Encoding") == [])
            }
            let get = try await read(session)
            #expect(get.values(for: "Content-Length") == [] && get.values(for: "Transfer-Encoding") == [] && get.body.isEmpty)
        }

        @Test(arguments: Engine.ours) func `a request on a reused handle contains nothing of the previous request`(engine: Engine)
            async throws
        {
            let session = engine.session { $0.maximumConnectionsPerHost = 1 }
            let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "LOCK"].map { RequestMethod(rawValue: $0) }
            let names = ["X-A", "Content-Type", "Accept", "Expect", "User-Agent", "Authorization", "Cookie", "Accept-Encoding"]
            var random = SeededGenerator(seed: 11)
            for round in 0..<(isSlowRun ? 3000 : 300) {
                let method = methods[Int(random.next() % UInt64(methods.count))]
                let size = [0, 1, 500, 40_000][Int(random.next() % 4)]
                let body = method == .get || random.next() % 3 == 0 ? nil : Data(repeating: UInt8(round % 256), count: size)
                var headers = HeaderFields()
                for name in names where random.next() % 2 == 0 && name != "Expect" {
                    headers.add(random.next() % 4 == 0 ? "" : "\(name) \(round)", for: name)
                }
                let reading = try await read(session, method, "/\(round)", headers: headers, body: body)
                #expect(reading.method == method.rawValue && reading.target == "/\(round)" && reading.body == body ?? Data())
                for name in names where name != "User-Agent" && name != "Accept" && name != "Accept-Encoding" {
                    #expect(reading.values(for: name) == headers.values(for: name), "\(name) in round \(round)")
                }
                for name in ["User-Agent", "Accept", "Accept-Encoding"] where headers.contains(name) {
                    #expect(reading.values(for: name) == headers.values(for: name), "\(name) in round \(round)")
                }
            }
        }
    }
}
