import DataTransfer
import Foundation
import NetworkSupport
import TransferTestSupport
import Testing

extension RealServerTests {
    /// HTTP/3 (RFC 9114) with aioquic. Needs a libcurl that speaks it: `DATA_TRANSFER_HTTP3=yes Scripts/with-libcurl 8.23.0 …`.
    @Suite(
        .needs(
            "a libcurl with HTTP/3", Engine.speaksHTTP3,
            run: "DATA_TRANSFER_HTTP3=yes Scripts/with-libcurl 8.23.0 Scripts/with-servers swift test --filter HTTP3Tests"),
        .serialized, .timeLimit(.minutes(10)))
    struct HTTP3Tests {
        private struct Echo: Decodable {
            var method: String
            var target: String
            var headers: [[String]]
            var length: Int
            var sha256: String
        }

        private func echo(_ response: NetworkResponse) throws -> Echo {
            #expect(response.timings.protocolName == "h3")
            return try JSONDecoder().decode(Echo.self, from: response.data)
        }

        private func sha256(_ data: Data) -> String {
            SHA256.digest(of: data).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        }

        /// Returns how often the server has received requests for a target.
        private func received(_ session: any NetworkSessionManager, _ target: String) async throws -> String {
            try await session.send(.get, "\(Servers.h3)/received?target=\(target.encoded)").text
        }

        @Test(arguments: Engine.ours) func `requests use one connection, with any method and target`(engine: Engine) async throws
        {
            let session = engine.requiring(.http3)
            for isReused in [false, true, true] {
                let response = try await session.send(.get, Servers.h3 + "/connection")
                #expect(response.timings.protocolName == "h3" && response.text.contains("|HTTP/3|"))
                #expect(response.timings.isReusedConnection == isReused)
            }
            for method in [RequestMethod.get, .post, .put, .patch, .delete, .options] {
                let body = method == .get || method == .options ? nil : Data("text".utf8)
                let echo = try echo(
                    try await session.send(method, Servers.h3 + "/echo?x=%2f%7E", headers: ["X-Value": "1"], body: body))
                #expect(echo.method == method.rawValue && echo.target == "/echo?x=%2f%7E")
                #expect(echo.length == (body?.count ?? 0) && echo.headers.contains(["x-value", "1"]))
            }
            let head = try await session.send(.head, Servers.h3 + "/ok")
            #expect(head.statusCode == 200 && head.data.isEmpty)
            let moved = try await session.send(.get, Servers.h3 + "/moved")
            #expect(moved.text == "ok" && moved.timings.redirects == 1)
            #expect(try await session.send(.get, Servers.h3 + "/trailers").trailers["X-Sum"] == "1")
            #expect(try await session.send(.get, Servers.h3 + "/hints").text == "done")
        }

        @Test(arguments: Engine.ours) func `many concurrent requests share connections`(engine: Engine) async throws {
            let session = engine.requiring(.http3)
            let responses = try await withThrowingTaskGroup(of: (String, Bool?).self) { group in
                for _ in 0..<300 {
                    group.addTask {
                        let response = try await session.send(.get, Servers.h3 + "/connection")
                        return (String(response.text.prefix { $0 != "|" }), response.timings.isReusedConnection)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let connections = Set(responses.map(\.0))
            #expect((1...6).contains(connections.count), "\(connections.count)")
            #expect(responses.count { $0.1 == false } <= 6)
        }

        @Test(arguments: Engine.ours) func `large bodies are received and sent whole, streamed or not`(engine: Engine)
            async throws
        {
            let session = engine.requiring(.http3)
            let expected = Servers.tenMegabytes
            #expect(try await session.send(.get, Servers.h3 + "/files/10mb.bin").data == expected)
            let url = try #require(URL(string: Servers.h3 + "/files/10mb.bin"))
            var streamed = Data()
            for try await chunk in try await session.stream(for: NetworkRequest(url: url)).body { streamed.append(chunk) }
            #expect(streamed == expected)
            let sent = try echo(try await session.send(.put, Servers.h3 + "/echo", body: expected))
            #expect(sent.length == expected.count && sent.sha256 == sha256(expected))
            let piece = expected.prefix(60_000)
            for length in [nil, 600_000] as [Int64?] {
                let chunks = AsyncStream { continuation in
                    for _ in 0..<10 { continuation.yield(piece) }
                    continuation.finish()
                }
                let request = NetworkRequest(
                    method: .post, url: try #require(URL(string: Servers.h3 + "/echo")), body: .stream(chunks, length: length))
                let echo = try echo(try await session.response(for: request))
                #expect(echo.length == 600_000)
            }
        }

        @Test(arguments: Engine.ours)
        func `a paused reader stops its stream only, and a released one ends it`(engine: Engine) async throws {
            let session = engine.requiring(.http3)
            let url = try #require(URL(string: Servers.h3 + "/endless"))
            for _ in 0..<3 {
                let stream = try await session.stream(for: NetworkRequest(url: url))
                var chunks = stream.body.makeAsyncIterator()
                #expect(try await chunks.next()?.isEmpty == false)
                for _ in 0..<20 { #expect(try await session.send(.get, Servers.h3 + "/ok").text == "ok") }
                var count = 0
                while count < 4 << 20, let chunk = try await chunks.next() { count += chunk.count }
                #expect(count >= 4 << 20)
            }
            #expect(try await session.send(.get, Servers.h3 + "/ok").timings.isReusedConnection == true)
        }

        @Test(arguments: Engine.ours) func `cancellation and timeouts end a stream, and the connection stays`(engine: Engine)
            async throws
        {
            let session = engine.requiring(.http3)
            _ = try await session.send(.get, Servers.h3 + "/ok")
            let task = Task { try await session.send(.get, Servers.h3 + "/silent") }
            task.cancel()
            await #expect(throws: TransportError.self) { try await task.value }
            // On a busy machine, a short timeout may expire before the request is sent.
            let late = try await withTimeouts(from: .milliseconds(700)) { timeout -> TransportError? in
                let error = try await session.failure(
                    .get, Servers.h3 + "/silent", timeouts: RequestTimeouts(idle: timeout))
                return error.phase == .firstByte ? error : nil
            }
            let idle = try #require(late)
            #expect(idle.code == .timedOut, "\(idle)")
            let total = try await session.failure(
                .get, Servers.h3 + "/silent", timeouts: RequestTimeouts(total: .milliseconds(300)))
            #expect(total.code == .timedOut, "\(total)")
            #expect(try await session.send(.get, Servers.h3 + "/ok").timings.isReusedConnection == true)
        }

        @Test(arguments: Engine.ours) func `random cancellations leave a usable session manager`(engine: Engine) async throws {
            let session = engine.requiring(.http3)
            let paths = ["/ok", "/files/10mb.bin", "/endless", "/echo", "/connection"]
            let failures = await withTaskGroup(of: TransportError?.self) { group in
                for index in 0..<200 {
                    group.addTask {
                        var random = SeededGenerator(seed: UInt64(index))
                        let path = paths[index % paths.count]
                        let task = Task { try await session.send(path == "/echo" ? .post : .get, Servers.h3 + path) }
                        try? await Task.sleep(for: .milliseconds(Int64(random.next() % 40)))
                        task.cancel()
                        guard case .failure(let error) = await task.result else { return nil }
                        let failure = error as? TransportError
                        return failure?.isCancelled == true || failure?.code == .bodyTooLarge ? nil : failure
                    }
                }
                return await group.reduce(into: []) { if let error = $1 { $0.append(error) } }
            }
            #expect(failures.isEmpty, "\(failures)")
            #expect(try await session.send(.get, Servers.h3 + "/ok").text == "ok")
        }

        @Test(arguments: Engine.ours) func `the server is verified as over TCP`(engine: Engine) async throws {
            func failure(_ server: String, _ trust: TrustPolicy) async throws -> TLSFailure? {
                let session = engine.requiring(.http3) { $0.trust = trust }
                let error = try await session.failure(.get, server + "/ok")
                #expect(error.code == .tlsFailed && error.phase == .tls, "\(error)")
                return error.tlsFailure
            }
            let roots = Servers.trust.roots
            let other = TrustPin.certificate(.file(Servers.certificate("client.pem")))
            let own = TrustPin.certificate(.file(Servers.certificate("server.pem")))
            #expect(try await failure(Servers.h3, TrustPolicy()) == .unknownIssuer)
            #expect(try await failure(Servers.h3, TrustPolicy(roots: roots, pins: [other])) == .pinMismatch)
            #expect(
                try await failure(Servers.h3, TrustPolicy(roots: .insecureWithoutVerification, pins: [other])) == .pinMismatch)
            let unnamed = Servers.h3.replacingOccurrences(of: "127.0.0.1", with: "127.0.0.3")
            let misnamed = Servers.h3.replacingOccurrences(of: "127.0.0.1", with: "127.0.0.2")
            #expect(try await failure(unnamed, Servers.trust) == .missingAlternativeName)
            #expect(try await failure(misnamed, Servers.trust) == .wrongHost)
            for (server, trust) in [
                (Servers.h3, TrustPolicy(roots: roots, pins: [other, own], minimumTLSVersion: .v1_3)),
                (misnamed, TrustPolicy(roots: .insecureWithoutVerification, pins: [own])),
            ] {
                let session = engine.requiring(.http3) { $0.trust = trust }
                #expect(try await session.send(.get, server + "/ok").timings.protocolName == "h3")
            }
        }

        @Test(arguments: Engine.ours) func `a client certificate is sent`(engine: Engine) async throws {
            let identity = ClientIdentity(
                certificate: .file(Servers.certificate("client.pem")), key: .file(Servers.certificate("client.key")))
            let known = engine.requiring(.http3) { $0.trust.clientIdentity = identity }
            #expect(try await known.send(.get, Servers.h3 + "/client").text == "CN=client")
            #expect(try await engine.requiring(.http3).send(.get, Servers.h3 + "/client").text == "none")
        }

        @Test(arguments: Engine.ours)
        func `a silent port ends with the connect timeout, and a closed one at once`(engine: Engine) async throws {
            let session = engine.requiring(.http3) { $0.connectTimeout = .milliseconds(800) }
            let silent = try await session.failure(.get, Servers.tls + "/ok")
            #expect(silent.code == .timedOut && silent.phase == .connect, "\(silent)")
            let closed = try await engine.requiring(.http3).failure(.get, "https://127.0.0.1:1/ok")
            #expect(closed.code == .cannotConnect && closed.phase == .connect, "\(closed)")
        }

        @Test(arguments: Engine.ours, [RequestMethod.get, .post])
        func `a request is sent again only if it is idempotent, or the server has refused it`(
            engine: Engine, method: RequestMethod
        ) async throws {
            let session = engine.requiring(.http3)
            let body = method == .post ? Data("x".utf8) : nil
            for path in ["/lost", "/lost-once", "/refused-once"] {
                let target = "\(path)?id=\(UUID())"
                _ = try await session.send(.get, Servers.h3 + "/ok")
                let result = await Result(catching: { try await session.send(method, Servers.h3 + target, body: body) })
                let count = try await received(session, target)
                switch (path, method) {
                case ("/lost-once", .get), ("/refused-once", _):
                    #expect(try result.get().text == "ok")
                    #expect(count == "2", "\(path)")
                default:
                    let error = #expect(throws: TransportError.self) { try result.get() }
                    #expect(
                        error?.code == .connectionLost && count == (method == .get ? "2" : "1"),
                        "\(path) \(count) \(error as Any)")
                }
            }
        }

        @Test(arguments: Engine.ours) func `a response that ends early is an error, or is complete before the body is sent`(
            engine: Engine
        ) async throws {
            let session = engine.requiring(.http3)
            let cut = try await session.failure(.get, Servers.h3 + "/cut")
            #expect([.incompleteBody, .connectionLost].contains(cut.code), "\(cut)")
            let early = try await session.send(.post, Servers.h3 + "/early", body: Data(count: 300_000))
            #expect(early.statusCode == 413 && early.text == "early")
        }

        @Test(arguments: Engine.ours) func `other session managers still use TCP`(engine: Engine) async throws {
            for _ in 0..<2 {
                #expect(try await engine.requiring(.http3).send(.get, Servers.h3 + "/ok").timings.protocolName == "h3")
                #expect(try await engine.trusting().send(.get, Servers.h3 + "/ok").timings.protocolName == "h2")
            }
            let session = engine.trusting { $0.httpVersionByHost["127.0.0.1"] = .http3 }
            let local = Servers.h2.replacingOccurrences(of: "127.0.0.1", with: "localhost")
            #expect(try await session.send(.get, Servers.h3 + "/ok").timings.protocolName == "h3")
            #expect(try await session.send(.get, local + "/ok").timings.protocolName == "h2")
        }
    }
}

extension RealServerTests {
    /// HTTP/3 where it is available, and TCP where it is not, with aioquic and nginx. Needs a libcurl that speaks HTTP/3.
    @Suite(
        .needs(
            "a libcurl with HTTP/3", Engine.speaksHTTP3,
            run: "DATA_TRANSFER_HTTP3=yes Scripts/with-libcurl 8.23.0 Scripts/with-servers swift test --filter HTTP3Tests"),
        .serialized, .timeLimit(.minutes(10)))
    struct PreferredHTTP3Tests {
        /// Returns the protocols of the requests until HTTP/3 was used. On a busy machine, a handshake may take longer than TCP is given.
        private func protocols(_ session: any NetworkSessionManager, _ url: String) async throws -> [String] {
            var names: [String] = []
            while names.last != "h3", names.count < 500 {
                let response = try await session.send(.get, url)
                #expect(response.text == "ok")
                names.append(response.timings.protocolName ?? "")
                // An attempt that was too late continues, and its end is what this waits for.
                if names.last != "h3" { try await Task.sleep(for: .milliseconds(50)) }
            }
            return names
        }

        @Test(arguments: Engine.ours) func `HTTP 3 is used at once if it is preferred and there is a response`(engine: Engine)
            async throws
        {
            let session = engine.requiring(.http3Preferred)
            #expect(try await protocols(session, Servers.h3 + "/ok").last == "h3")
            let body = Data(repeating: 1, count: 100_000)
            let response = try await session.send(.post, Servers.h3 + "/echo", body: body)
            #expect(response.timings.protocolName == "h3" && response.timings.isReusedConnection == true)
        }

        @Test(arguments: Engine.ours) func `TCP is used within the connect timeout if no packet is responded to`(engine: Engine)
            async throws
        {
            let session = engine.requiring(.http3Preferred) { $0.connectTimeout = .seconds(60) }
            let start = ContinuousClock.now
            let first = try await session.send(.get, Servers.tls + "/ok")
            let elapsed = ContinuousClock.now - start
            #expect(first.text == "ok" && first.timings.protocolName == "http/1.1")
            #expect(elapsed >= .milliseconds(300) && elapsed < .seconds(60))
            let next = ContinuousClock.now
            for _ in 0..<100 {
                let response = try await session.send(.get, Servers.tls + "/ok")
                #expect(response.timings.protocolName == "http/1.1" && response.timings.isReusedConnection == true)
            }
            #expect(ContinuousClock.now - next < .seconds(30), "each would take 300 ms if it were not remembered")
        }

        @Test(arguments: Engine.ours) func `many requests that start together all get to a server without UDP`(engine: Engine)
            async throws
        {
            let session = engine.requiring(.http3Preferred)
            let names = try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<60 {
                    group.addTask {
                        let method: RequestMethod = index.isMultiple(of: 2) ? .get : .post
                        return try await session.send(method, Servers.tls + "/ok").timings.protocolName ?? ""
                    }
                }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(names == ["http/1.1": 60])
        }

        @Test(arguments: Engine.ours) func `TCP is used at once if the UDP port is closed`(engine: Engine) async throws {
            let session = engine.requiring(.http3Preferred) { $0.connectTimeout = .seconds(60) }
            let response = try await session.send(.get, Servers.shortTLS + "/ok")
            #expect(response.timings.protocolName == "http/1.1" && response.timings.total < .seconds(30))
        }

        @Test(arguments: Engine.ours) func `a server that is not trusted is refused over UDP and over TCP`(engine: Engine)
            async throws
        {
            let session = engine.session { $0.httpVersion = .http3Preferred }
            let error = try await session.failure(.get, Servers.h3 + "/ok")
            #expect(error.code == .tlsFailed && error.tlsFailure == .unknownIssuer, "\(error)")
            let pinned = engine.requiring(.http3Preferred) {
                $0.trust.pins = [.certificate(.file(Servers.certificate("client.pem")))]
            }
            #expect(try await pinned.failure(.get, Servers.h3 + "/ok").tlsFailure == .pinMismatch)
        }

        @Test(arguments: Engine.ours, [Servers.h2, Servers.tls])
        func `an offer is used for the next requests, at another port too, until it is withdrawn`(
            engine: Engine, server: String
        ) async throws {
            let session = engine.requiring(.http3Advertised)
            let name = server == Servers.h2 ? "h2" : "http/1.1"
            for _ in 0..<3 { #expect(try await session.send(.get, server + "/ok").timings.protocolName == name) }
            #expect(try await session.send(.get, server + "/advertised").timings.protocolName == name)
            #expect(try await protocols(session, server + "/ok").last == "h3")
            let echo = try await session.send(.get, server + "/echo")
            let port = try #require(Servers.h3.split(separator: ":").last)
            let authority = try #require(server.split(separator: "/").last)
            #expect(echo.text.contains("[\"alt-used\", \"127.0.0.1:\(port)\"]"), "\(echo.text)")
            #expect(echo.text.contains("[\":authority\", \"\(authority)\"]"), "\(echo.text)")
            // Another session manager has not received the offer, and the automatic choice does not use it.
            #expect(try await engine.requiring(.http3Advertised).send(.get, server + "/ok").timings.protocolName == name)
            let automatic = engine.trusting()
            _ = try await automatic.send(.get, server + "/advertised")
            #expect(try await automatic.send(.get, server + "/ok").timings.protocolName == name)
            _ = try await session.send(.get, server + "/withdrawn")
            #expect(try await session.send(.get, server + "/ok").timings.protocolName == name)
        }

        @Test(arguments: Engine.ours) func `the addresses of a host apply to the port of an offer too`(engine: Engine)
            async throws
        {
            let session = engine.requiring(.http3Advertised) { $0.route.addresses["server.example"] = ["127.0.0.1"] }
            let server = Servers.tls.replacingOccurrences(of: "127.0.0.1", with: "server.example")
            _ = try await session.send(.get, server + "/advertised")
            #expect(try await protocols(session, server + "/ok").last == "h3")
        }

        @Test(arguments: Engine.ours) func `an offer that nothing responds to does not fail a request`(engine: Engine)
            async throws
        {
            let session = engine.requiring(.http3Advertised)
            _ = try await session.send(.get, Servers.h2 + "/advertised-silent")
            for method in [RequestMethod.post, .get] {
                #expect(try await session.send(method, Servers.h2 + "/ok").timings.protocolName == "h2")
            }
        }

        @Test(arguments: Engine.ours) func `an offer over HTTP without TLS, or of a server that is not verified, is not used`(
            engine: Engine
        ) async throws {
            let session = engine.requiring(.http3Advertised) { $0.trust = TrustPolicy(roots: .insecureWithoutVerification) }
            for server in [Servers.h2, Servers.tls] {
                let name = server == Servers.h2 ? "h2" : "http/1.1"
                _ = try await session.send(.get, server + "/advertised")
                #expect(try await session.send(.get, server + "/ok").timings.protocolName == name)
            }
        }
    }
}

extension Result where Failure == any Error {
    /// Creates a result from what an asynchronous closure returns or throws.
    fileprivate init(catching body: () async throws -> Success) async {
        do { self = .success(try await body()) } catch { self = .failure(error) }
    }
}
