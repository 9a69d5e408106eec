import DataTransferValkey
import Foundation
import Synchronization
import Testing
import ValkeyTesting

private let hello = "*4\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$5\r\n7.0.1\r\n"

@Suite struct ConnectionTests {
    /// Returns the error of a PING to a server of fixed replies, and the time until it was thrown.
    private func failure(
        _ replies: [String], closes: Bool = false, pause: UInt32? = nil, _ change: (inout ValkeyConfiguration) -> Void = { _ in }
    ) async throws -> (error: ValkeyError?, time: Duration) {
        let server = try FakeServer(replies, closes: closes, microsecondsBetweenBytes: pause)
        defer { withExtendedLifetime(server) {} }
        var configuration = ValkeyConfiguration(.unix(path: server.path))
        change(&configuration)
        let client = ValkeyClient(configuration)
        let start = ContinuousClock.now
        do throws(ValkeyError) {
            _ = try await client.send("PING")
            return (nil, ContinuousClock.now - start)
        } catch {
            return (error, ContinuousClock.now - start)
        }
    }

    @Test(arguments: [
        ("HTTP/1.1 400 Bad Request\r\n\r\n", ValkeyError.Code.protocolViolation),
        ("*99999999\r\n", .protocolViolation), ("*2147483647\r\n", .protocolViolation), ("$-7\r\n", .protocolViolation),
        ("+OK\r\n", .protocolViolation), (":1\r\n", .protocolViolation), ("*0\r\n", .protocolViolation),
        ("*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n:1\r\n", .protocolViolation),
        (hello + "+more\r\n", .protocolViolation),
        ("-ERR unknown command `HELLO`, with args beginning with: `2`, \r\n", .unsupportedVersion),
        ("*2\r\n$7\r\nversion\r\n$6\r\n5.0.14\r\n", .unsupportedVersion), ("-NOPROTO unsupported\r\n", .unsupportedVersion),
        ("-WRONGPASS invalid\r\n", .authentication), ("-NOAUTH required\r\n", .authentication),
        ("-LOADING dataset\r\n", .serverError), ("$100\r\nshort", .timeout), ("", .timeout),
    ])
    func `an invalid greeting is an error of its kind`(_ reply: String, _ code: ValkeyError.Code) async throws {
        let (error, time) = try await failure([reply]) { configuration in
            configuration.commandTimeout = code == .timeout ? .milliseconds(50) : .seconds(120)
            configuration.connectTimeout = configuration.commandTimeout
        }
        #expect(error?.code == code)
        #expect(time < .seconds(60))
    }

    @Test(arguments: [
        ("-OOM command not allowed when used memory > 'maxmemory'.\r\n", ValkeyError.Code.outOfMemory),
        ("-NOPERM this user has no permissions\r\n", .authentication), ("-ERR secret-key\r\n", .serverError),
        ("nonsense\r\n", .protocolViolation), ("+A\r\n+B\r\n", .protocolViolation), ("+A", .timeout),
        ("$9000000\r\n", .timeout), ("$9000000000000\r\n", .timeout),
    ])
    func `an invalid reply is an error of its kind`(_ reply: String, _ code: ValkeyError.Code) async throws {
        let (error, _) = try await failure([hello, reply]) { configuration in
            configuration.connectTimeout = .seconds(20)
            configuration.commandTimeout = code == .timeout ? .milliseconds(500) : .seconds(20)
        }
        #expect(error?.code == code)
        #expect(error.map { "\($0)".contains("secret-key") } == false)
    }

    @Test func `a reply beyond the limit is refused`() async throws {
        let text = "$100000\r\n" + String(repeating: "x", count: 100_000) + "\r\n"
        let (error, _) = try await failure([hello, text]) {
            $0.maximumReplyBytes = 50_000
            $0.commandTimeout = .seconds(20)
            $0.connectTimeout = .seconds(20)
        }
        #expect(error?.code == .protocolViolation)
    }

    @Test func `a server that sends single bytes does not extend the timeout`() async throws {
        let (error, time) = try await failure([hello, String(repeating: "+", count: 10_000)], pause: 5000)
        #expect(error?.code == .timeout)
        // All bytes take 50 seconds.
        #expect(time < .seconds(25))
    }

    @Test func `a late reply is not taken for that of the next command`() async throws {
        // The second command of a connection gets the reply to the first one.
        let server = try FakeServer([hello, "", "+late\r\n"])
        defer { withExtendedLifetime(server) {} }
        let client = ValkeyClient(
            ValkeyConfiguration(
                .unix(path: server.path), connectTimeout: .seconds(20), commandTimeout: .milliseconds(500),
                maximumConnections: 1))
        for _ in 0..<2 { await #expect(throws: ValkeyError.self) { try await client.send("PING") } }
    }

    @Test func `a closed connection is an error, and so is an absent server`() async throws {
        let (closed, _) = try await failure([hello], closes: true) {
            $0.connectTimeout = .seconds(20)
            $0.commandTimeout = .seconds(20)
        }
        #expect(closed?.code == .unreachable)
        let client = ValkeyClient(ValkeyConfiguration(.unix(path: "/nonexistent/socket")))
        await #expect(throws: ValkeyError.self) { try await client.send("PING") }
        let other = ValkeyClient(ValkeyConfiguration(.tcp(host: "127.0.0.1", port: 1), connectTimeout: .seconds(20)))
        let error = await #expect(throws: ValkeyError.self) { try await other.send("PING") }
        #expect(error?.code == .unreachable)
    }

    @Test func `values are bounded`() async throws {
        let client = ValkeyClient(ValkeyConfiguration(.unix(path: "/nonexistent"), maximumValueBytes: 10))
        let error = await #expect(throws: ValkeyError.self) { try await client.send("SET", "a", "12345678901") }
        #expect(error?.code == .limitExceeded)
    }

    @Test func `descriptions contain no password`() {
        let configuration = ValkeyConfiguration(.tcp(host: "example.com"), username: "user", password: "swordfish")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect("\(configuration)" == "ValkeyConfiguration(example.com:6379)")
        #expect(!dumped.contains("swordfish"))
    }
}

@Suite struct RealServerConnectionTests {
    @Test func `commands run over both kinds of sockets`() async throws {
        let server = try TestServer(port: try freePort())
        for address in [ValkeyConfiguration.Address.unix(path: server.path), .tcp(host: "127.0.0.1", port: server.port)] {
            var configuration = server.patient
            configuration.address = address
            configuration.database = 3
            let client = ValkeyClient(configuration)
            #expect(try await client.send("SET", "a", "1") == .status("OK"))
            #expect(try await client.send("GET", "a") == .bytes(Data("1".utf8)))
            #expect(try await client.send("GET", "b") == .null)
            let script = ValkeyScript("return {KEYS[1], ARGV[1], 7}")
            for _ in 0..<2 {
                let reply = try await client.run(script, keys: ["k"], [Data("v".utf8)])
                #expect(reply == .array([.bytes(Data("k".utf8)), .bytes(Data("v".utf8)), .integer(7)]))
                _ = try await client.send("SCRIPT", "FLUSH")
            }
        }
    }

    @Test func `a wrong password, a missing one and a right one`() async throws {
        let server = try TestServer(options: ["--requirepass", "swordfish"])
        for password in [nil, "wrong", "swordfish"] {
            var configuration = server.patient
            configuration.password = password
            let client = ValkeyClient(configuration)
            if password == "swordfish" {
                #expect(try await client.send("PING") == .status("PONG"))
            } else {
                let error = await #expect(throws: ValkeyError.self) { try await client.send("PING") }
                #expect(error?.code == .authentication)
            }
        }
    }

    @Test func `a full server is an error of its kind`() async throws {
        let server = try TestServer(options: ["--maxmemory", "1", "--maxmemory-policy", "noeviction"])
        let client = ValkeyClient(server.patient)
        let error = await #expect(throws: ValkeyError.self) { try await client.send("SET", "a", "1") }
        #expect(error?.code == .outOfMemory)
        #expect(try await client.send("GET", "a") == .null)
    }

    @Test func `many commands share few connections, and each gets its own reply`() async throws {
        let server = try TestServer()
        let client = ValkeyClient(server.patient)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<500 {
                group.addTask { try await client.send("ECHO", "\(number)") == .bytes(Data("\(number)".utf8)) }
            }
            for try await isSame in group { #expect(isSame) }
        }
        let list = try await client.send("CLIENT", "LIST").bytes ?? Data()
        #expect(String(decoding: list, as: UTF8.self).split(separator: "\n").count <= 4)
    }

    @Test func `a silent server costs one timeout, is reported once, and is used again when it replies`() async throws {
        let server = try TestServer()
        let reports = Mutex<[ValkeyError.Code]>([])
        var configuration = server.configuration
        configuration.reportInterval = .seconds(3600)
        let client = ValkeyClient(configuration) { error, _ in reports.withLock { $0.append(error.code) } }
        while (try? await client.send("PING")) == nil {}
        reports.withLock { $0 = [] }
        server.setPaused(true)
        defer { server.setPaused(false) }
        var longest = Duration.zero
        let end = ContinuousClock.now + .milliseconds(600)
        while ContinuousClock.now < end {
            let start = ContinuousClock.now
            await #expect(throws: ValkeyError.self) { try await client.send("PING") }
            longest = max(longest, ContinuousClock.now - start)
            await Task.yield()
        }
        // On an idle machine it is 51 ms. The server replies to none of them.
        #expect(longest < .seconds(20))
        #expect(reports.withLock { $0.count } <= 1)
        server.setPaused(false)
        let deadline = ContinuousClock.now + .seconds(300)
        var reply = try? await client.send("PING")
        while reply == nil, ContinuousClock.now < deadline {
            await Task.yield()
            reply = try? await client.send("PING")
        }
        #expect(reply == .status("PONG"))
    }

    @Test func `a restarted server is used again`() async throws {
        let server = try TestServer()
        let client = ValkeyClient(server.patient)
        while (try? await client.send("PING")) == nil {}
        server.stop()
        let error = await #expect(throws: ValkeyError.self) { try await client.send("PING") }
        #expect(error?.code == .unreachable)
        try server.start()
        let deadline = ContinuousClock.now + .seconds(300)
        while (try? await client.send("PING")) == nil, ContinuousClock.now < deadline { await Task.yield() }
        #expect(ContinuousClock.now < deadline)
    }
}
