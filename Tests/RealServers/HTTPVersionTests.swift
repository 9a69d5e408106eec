import DataTransfer
import Foundation
import Testing

extension RealServerTests {
    /// The versions of HTTP that a configuration requires (``SessionConfiguration/httpVersion``), with nginx.
    @Suite(.timeLimit(.minutes(10))) struct HTTPVersionTests {
        @Test(arguments: Engine.ours)
        func `HTTP 1 is used with a server that offers HTTP 2 if it is required, and affects no other session manager`(
            engine: Engine
        ) async throws {
            let automatic = "h2 HTTP/2.0"
            let session = engine.requiring(.http1)
            for _ in 0..<3 {
                #expect(try await version(session, Servers.h2) == "http/1.1 HTTP/1.1")
                #expect(try await version(engine.trusting(), Servers.h2) == automatic)
            }
            #expect(try await version(session, Servers.tls) == "http/1.1 HTTP/1.1")
            #expect(try await session.send(.get, Servers.nginx + "/ok").timings.protocolName == "http/1.1")
        }

        @Test(arguments: Engine.ours)
        func `a server that does not speak HTTP 1 is refused if HTTP 1 is required`(engine: Engine) async throws {
            // This server is configured for HTTP/2 without TLS only, and responds to HTTP/1.1 with bytes of HTTP/2.
            let error = try await engine.requiring(.http1).failure(.get, Servers.h2c + "/ok")
            #expect([.malformedResponse, .connectionLost].contains(error.code), "\(error)")
        }

        @Test(arguments: Engine.ours(with: .requiredVersions), [HTTPVersionChoice.http2, .http3])
        func `a version that is not spoken is refused before anything is sent`(
            engine: Engine, choice: HTTPVersionChoice
        ) async throws {
            let error = try await engine.requiring(choice).failure(.get, "https://127.0.0.1:1/ok")
            let isSpoken = choice == .http2 || Engine.speaksHTTP3
            #expect(error.code == (isSpoken ? .cannotConnect : .httpVersionUnavailable), "\(error)")
        }

        @Test(arguments: Engine.ours(with: .requiredVersions))
        func `HTTP 3 is refused without TLS, through proxies and through Unix sockets`(engine: Engine) async throws {
            for (url, session) in [
                (Servers.nginx, engine.requiring(.http3)),
                (Servers.h2, engine.requiring(.http3) { $0.proxy = .http(host: "127.0.0.1", port: Servers.proxyPort) }),
                (
                    Servers.h2,
                    engine.requiring(.http3) {
                        $0.proxy = .socks5(host: "127.0.0.1", port: Servers.socksPort, username: "user", password: "secret")
                    }
                ), (Servers.h2, engine.requiring(.http3) { $0.unixSocketPath = "/tmp/none" }),
            ] {
                let error = try await session.failure(.get, url + "/ok")
                #expect(error.code == .httpVersionUnavailable && error.message.contains("HTTP/3"), "\(error)")
            }
        }
    }

    /// The same with HTTP/2.
    @Suite(.timeLimit(.minutes(10))) struct RequiredHTTP2Tests {
        @Test(arguments: Engine.ours(with: .requiredVersions))
        func `HTTP 2 is required of each server, and affects no other session manager`(engine: Engine) async throws {
            let session = engine.requiring(.http2)
            for _ in 0..<3 {
                #expect(try await version(session, Servers.h2) == "h2 HTTP/2.0")
                let error = try await session.failure(.get, Servers.tls + "/connection")
                #expect(error.code == .httpVersionUnavailable && error.phase == .tls, "\(error)")
                #expect(error.message.contains("does not agree") && !error.isRetryable)
                #expect(try await version(engine.trusting(), Servers.tls) == "http/1.1 HTTP/1.1")
                #expect(try await version(engine.trusting(), Servers.h2) == "h2 HTTP/2.0")
            }
            let post = try await session.send(
                .post, Servers.h2 + "/httpbin/anything", body: Data(repeating: 0x61, count: 300_000))
            #expect(try post.timings.protocolName == "h2" && post.echo.data.utf8.count == 300_000)
        }

        @Test(arguments: Engine.ours(with: .requiredVersions))
        func `HTTP 2 is used without TLS if it is required`(engine: Engine) async throws {
            let session = engine.requiring(.http2)
            #expect(try await version(session, Servers.h2c) == "h2 HTTP/2.0")
            let responses = try await withThrowingTaskGroup(of: (String, Bool?).self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        let response = try await session.send(.get, Servers.h2c + "/connection")
                        return (String(response.text.prefix { $0 != "|" }), response.timings.isReusedConnection)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(responses.map(\.0)).count == 1)
            #expect(try await session.send(.get, Servers.h2c + "/files/10mb.bin").data == Servers.tenMegabytes)
            let url = try #require(URL(string: Servers.h2c + "/files/10mb.bin"))
            #expect(
                try await session.stream(for: NetworkRequest(url: url)).body.collected(maximumBytes: 11 << 20)
                    == Servers.tenMegabytes)
            let body = Data(repeating: 0x62, count: 1 << 20)
            let echo = try await session.send(.put, Servers.h2c + "/httpbin/anything", body: body)
            #expect(try echo.timings.protocolName == "h2" && echo.echo.data.utf8.count == 1 << 20)
            #expect(try await session.send(.get, Servers.h2c + "/moved").text == "ok", "a redirect")
        }

        @Test(arguments: Engine.ours(with: .requiredVersions), [Servers.nginx, Servers.echo])
        func `a server that does not speak HTTP 2 without TLS fails the request, which it has not processed`(
            engine: Engine, server: String
        ) async throws {
            let session = engine.requiring(.http2)
            for method in [RequestMethod.get, .post] {
                let error = try await session.failure(method, server + "/ok")
                // A server may close the connection without sending anything.
                #expect([.httpVersionUnavailable, .connectionLost].contains(error.code), "\(error)")
                #expect(error.message.contains("speak HTTP/2 without TLS"), "\(error)")
            }
            #expect(try await engine.session().send(.get, server + "/ok").statusCode == 200)
        }

        @Test(arguments: Engine.ours(with: .requiredVersions))
        func `each host has the version that is chosen for it, after a redirect too`(engine: Engine) async throws {
            let session = engine.trusting {
                $0.httpVersionByHost = ["127.0.0.1": .http1, "LOCALHOST.": .http2]
                $0.allowsInsecureRedirects = true
            }
            let local = Servers.h2.replacingOccurrences(of: "127.0.0.1", with: "localhost")
            #expect(try await version(session, Servers.h2) == "http/1.1 HTTP/1.1")
            #expect(try await version(session, local) == "h2 HTTP/2.0")
            for (from, to, name) in [(Servers.h2, local, "h2"), (local, Servers.h2, "http/1.1")] {
                let target = "\(from)/httpbin/redirect-to?url=\("\(to)/ok".encoded)"
                let response = try await session.send(.get, target)
                #expect(response.timings.protocolName == name && response.timings.redirects == 1 && response.text == "ok")
            }
        }

        @Test(arguments: Engine.ours(with: .requiredVersions))
        func `through an HTTP proxy, HTTP 2 is refused without TLS`(engine: Engine) async throws {
            let session = engine.requiring(.http2) { $0.proxy = .http(host: "127.0.0.1", port: Servers.proxyPort) }
            let error = try await session.failure(.get, Servers.h2c + "/ok")
            #expect(error.code == .httpVersionUnavailable && error.message.contains("proxies"), "\(error)")
            #expect(try await session.send(.get, Servers.h2 + "/ok").timings.protocolName == "h2")
            let socks = engine.requiring(.http2) {
                $0.proxy = .socks5(host: "127.0.0.1", port: Servers.socksPort, username: "user", password: "secret")
            }
            for server in [Servers.h2, Servers.h2c] {
                #expect(try await socks.send(.get, server + "/ok").timings.protocolName == "h2")
            }
        }
    }
}

extension Engine {
    /// Creates a session manager that requires a version of HTTP.
    func requiring(
        _ choice: HTTPVersionChoice, _ change: (inout SessionConfiguration) -> Void = { _ in }
    ) -> any NetworkSessionManager {
        trusting {
            $0.httpVersion = choice
            change(&$0)
        }
    }
}

/// Returns the version of HTTP by name, as the client and as nginx report it.
private func version(_ session: any NetworkSessionManager, _ server: String) async throws -> String {
    let response = try await session.send(.get, server + "/connection")
    let reported = response.text.split(separator: "|")
    return "\(response.timings.protocolName ?? "") \(reported.count > 1 ? reported[1] : "")"
}
