import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// Requests to nginx over TLS, with HTTP/2 if both sides offer it (RFC 9113 §3.2).
    @Suite(.timeLimit(.minutes(10))) struct HTTP2Tests {
        /// Returns what nginx reports about a request: the number of the connection, the protocol, and the TLS version.
        private func connection(_ session: any NetworkSessionManager, _ server: String) async throws -> [String] {
            try await session.send(.get, server + "/connection").text.split(separator: "|").map(String.init)
        }

        @Test(arguments: Engine.ours(with: .connectionFacts))
        func `HTTP 2 is used if the server supports it, and HTTP 1 otherwise`(engine: Engine)
            async throws
        {
            let session = engine.trusting()
            for (server, protocolName, reported) in [(Servers.h2, "h2", "HTTP/2.0"), (Servers.tls, "http/1.1", "HTTP/1.1")] {
                for isReused in [false, true] {
                    let response = try await session.send(.get, server + "/connection")
                    #expect(response.timings.protocolName == protocolName && response.text.contains("|\(reported)|"))
                    #expect(response.timings.isReusedConnection == isReused)
                    #expect((response.timings.tls != nil) == !isReused)
                }
            }
        }

        @Test(arguments: Engine.ours, ["/a/c?", "/a/c?x", "/a/c?x=%2f%7E+y&z=//?"])
        func `the request target is sent byte for byte`(engine: Engine, target: String) async throws {
            for server in [Servers.nginx, Servers.tls, Servers.h2] {
                #expect(try await engine.trusting().send(.get, server + target).text == target, "\(server)")
            }
        }

        @Test(arguments: Engine.ours(with: .largeHeads), [Servers.tls, Servers.h2])
        func `blank header values are sent, and so are more than 64 KiB of header fields`(engine: Engine, server: String)
            async throws
        {
            let session = engine.trusting()
            let headers: HeaderFields = ["X-Empty": "", "X-Blank": "  ", "X-Tab": "\t", "X-Value": "1"]
            let echo = try await session.send(.get, server + "/httpbin/headers", headers: headers).text
            for name in ["X-Empty", "X-Blank", "X-Tab", "X-Value"] { #expect(echo.contains("\"\(name)\"")) }
            let large: HeaderFields = ["X-Large": String(repeating: "x", count: 70_000)]
            if server == Servers.tls {
                #expect(
                    try await session.send(.get, server + "/ok", headers: large).statusCode == 400,
                    "nginx responds that the header is too large")
            } else {
                // Over HTTP/2, nginx closes the connection.
                let error = await #expect(throws: TransportError.self) {
                    try await session.send(.get, server + "/ok", headers: large)
                }
                #expect(error?.code == .connectionLost, "\(error as Any)")
            }
        }

        @Test(arguments: Engine.ours(with: .connectionFacts), [50, 1000])
        func `many concurrent requests share one connection`(engine: Engine, count: Int) async throws {
            let session = engine.trusting()
            let responses = try await withThrowingTaskGroup(of: (String, Bool?).self) { group in
                for _ in 0..<count {
                    group.addTask {
                        let response = try await session.send(.get, "\(Servers.h2)/connection")
                        return (String(response.text.prefix { $0 != "|" }), response.timings.isReusedConnection)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(responses.count == count)
            #expect(Set(responses.map(\.0)).count == 1, "the connection numbers that nginx reports")
            #expect(responses.count { $0.1 == false } == 1)
        }

        @Test(arguments: Engine.ours) func `without HTTP 2, the number of connections per host does not exceed the limit`(
            engine: Engine
        ) async throws {
            let session = engine.trusting { $0.maximumConnectionsPerHost = 4 }
            let connections = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<200 { group.addTask { try await connection(session, Servers.tls)[0] } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect((1...4).contains(connections.count))
        }

        @Test(arguments: Engine.ours) func `large bodies are downloaded concurrently`(engine: Engine) async throws {
            let session = engine.trusting()
            let expected = Servers.tenMegabytes
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<6 {
                    group.addTask { try await session.send(.get, "\(Servers.h2)/files/10mb.bin").data == expected }
                }
                for try await isWhole in group { #expect(isWhole) }
            }
        }

        @Test(arguments: Engine.ours(with: .uploadsOverHTTP2), [0, 1, 40_000, 1_000_000])
        func `bodies are uploaded concurrently with every method`(engine: Engine, size: Int) async throws {
            let session = engine.trusting()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for method in [RequestMethod.post, .put, .patch, .delete, .get] {
                    let body = method == .get ? nil : Data(repeating: 0x61, count: size)
                    group.addTask {
                        let response = try await session.send(method, "\(Servers.h2)/httpbin/anything", body: body)
                        let echo = try response.echo
                        #expect(echo.method == method.rawValue && echo.data.utf8.count == body?.count ?? 0)
                        #expect(response.timings.protocolName == "h2")
                    }
                }
                try await group.waitForAll()
            }
        }

        @Test(arguments: Engine.ours) func `redirects, missing files and HEAD requests work over HTTP 2`(engine: Engine)
            async throws
        {
            let session = engine.trusting()
            let moved = try await session.send(.get, "\(Servers.h2)/moved")
            #expect(moved.text == "ok" && moved.timings.redirects == 1 && moved.url.path == "/ok")
            #expect(try await session.send(.get, "\(Servers.h2)/files/missing").statusCode == 404)
            let head = try await session.send(.head, "\(Servers.h2)/files/10mb.bin")
            #expect(head.data.isEmpty && head.headers["content-length"] == "\(10 << 20)")
        }

        @Test(arguments: Engine.ours, [Servers.shortH2, Servers.shortTLS])
        func `requests succeed if the server closes connections after ten requests`(engine: Engine, server: String) async throws {
            if server == Servers.shortH2, engine.lacks.contains(.endingOfHTTP2) { return }
            let session = engine.trusting()
            for method in [RequestMethod.get, .head, .get] {
                for _ in 0..<50 { #expect(try await session.send(method, server + "/ok").statusCode == 200) }
            }
            let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<500 { group.addTask { try await session.send(.get, server + "/ok").statusCode } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [200: 500])
        }

        @Test(arguments: Engine.ours, [Servers.shortH2, Servers.shortTLS])
        func `sequential POSTs succeed if the server closes connections after ten requests`(engine: Engine, server: String)
            async throws
        {
            let session = engine.trusting()
            for _ in 0..<200 { #expect(try await session.send(.post, server + "/ok", body: Data("x".utf8)).statusCode == 200) }
        }

        @Test(arguments: Engine.ours)
        func `many concurrent POSTs succeed if the server closes connections after ten requests`(engine: Engine) async throws {
            let session = engine.trusting()
            let outcomes = await withTaskGroup(of: String.self) { group in
                for _ in 0..<500 {
                    group.addTask {
                        do {
                            return "\(try await session.send(.post, Servers.shortH2 + "/ok", body: Data("x".utf8)).statusCode)"
                        } catch {
                            return (error as? TransportError)?.code.rawValue ?? "\(error)"
                        }
                    }
                }
                return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            // Each connection responds to ten, and refuses the others, which are sent again.
            #expect(outcomes["200"] == 500 || engine.lacks.contains(.endingOfHTTP2), "\(outcomes)")
        }

        @Test(arguments: Engine.ours(with: .connectionFacts))
        func `a connection is reused if only one connection is permitted`(engine: Engine) async throws {
            let session = engine.trusting { $0.maximumConnections = 1 }
            _ = try await session.send(.get, "\(Servers.h2)/ok")
            for _ in 0..<5 {
                let timings = try await session.send(.get, "\(Servers.h2)/ok").timings
                #expect(timings.isReusedConnection == true && timings.protocolName == "h2")
            }
        }

        @Test(arguments: Engine.ours) func `a client certificate is sent if the server requests it`(engine: Engine) async throws {
            let identity = ClientIdentity(
                certificate: .file(Servers.certificate("client.pem")), key: .file(Servers.certificate("client.key")))
            let known = engine.trusting { $0.trust.clientIdentity = identity }
            for _ in 0..<3 { #expect(try await known.send(.get, "\(Servers.mutual)/client").text == "CN=client") }
            #expect(
                try await engine.trusting().send(.get, "\(Servers.mutual)/client").statusCode == 400,
                "nginx responds that a certificate is required")
            #expect(try await known.send(.get, "\(Servers.h2)/ok").text == "ok", "this server does not request a certificate")
        }

        @Test(arguments: Engine.ours) func `a server whose authority is not trusted is refused`(engine: Engine) async throws {
            let error = try await engine.session().failure(.get, "\(Servers.h2)/ok")
            #expect(error.code == .tlsFailed && error.tlsFailure == .unknownIssuer && error.phase == .tls)
        }
    }
}
