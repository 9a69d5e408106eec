#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkSupport
    import TransferTestSupport

    /// The counts of a fuzz run, and the rules that were violated.
    final class FuzzRun: Sendable {
        private struct State {
            var counts: [String: Int] = [:]
            var examples: [String: [String]] = [:]
        }

        let seed: UInt64
        private let state = Locked(State())

        init(seed: UInt64) {
            self.seed = seed
        }

        func count(_ name: String) {
            state.withLock { $0.counts[name, default: 0] += 1 }
        }

        func report(_ rule: String, _ number: Int, _ details: String = "") {
            state.withLock { state in
                state.counts["! " + rule, default: 0] += 1
                guard state.examples[rule, default: []].count < 5 else { return }
                state.examples[rule, default: []].append("number \(number) \(details)")
            }
        }

        var summary: String {
            let counts = state.withLock(\.counts).filter { !$0.key.hasPrefix("! ") }.sorted { $0.key < $1.key }
            return "seed \(seed): " + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }

        /// The violated rules, each with its first few cases.
        var problems: String {
            state.withLock { state in
                state.examples.sorted { $0.key < $1.key }.map { rule, examples in
                    "- \(rule), \(state.counts["! " + rule] ?? 0) times, as in\n"
                        + examples.map { "    \($0.prefix(1_200))" }.joined(separator: "\n")
                }.joined(separator: "\n")
            }
        }
    }

    /// One caller of a fuzz run. After each response that may be invalid, it requests a valid one with the same session manager.
    final class FuzzWorker: Sendable {
        private struct State: Sendable {
            /// The content codings that the client accepts.
            var codings: Set<String>?
            /// Cases whose bytes have all been sent.
            var sent: Set<Int> = []
            /// Connections that must not be reused, and the reason.
            var spent: [Int: String] = [:]
            /// The connection that was last used for each case.
            var carriers: [Int: Int] = [:]
        }

        private let run: FuzzRun
        private let session: SocketSessionManager
        private let server: RawServer
        private let state: Watched<State>

        init(_ run: FuzzRun) throws {
            self.run = run
            session = SocketSessionManager(
                configuration: SessionConfiguration {
                    $0.maximumHeaderBytes = 64 << 10
                    $0.maximumRedirects = 2
                    $0.connectTimeout = .seconds(60)
                })
            let state = Watched(State())
            self.state = state
            server = try RawServer(keepsArrivals: false) { try Self.serve($0, run, state) }
        }

        /// Runs one case, and requests a valid response after it.
        func play(_ number: Int) async {
            let fuzz = FuzzCase(seed: run.seed, number: number, codings: await codings())
            // Short only if the client may wait for bytes that never arrive, because a busy machine may be slow.
            let timeouts = RequestTimeouts(idle: fuzz.mayTimeOut ? .milliseconds(300) : .seconds(30))
            let start = ContinuousClock.now
            let isStreamed = FuzzCase.isStreamed(number)
            let request = server.request("/f/\(number)", method: fuzz.method, timeouts: timeouts)
            let result = await result(request, isStreamed: isStreamed)
            await waitUntilSent(number)
            judge(fuzz, result, ContinuousClock.now - start)
            switch await self.result(server.request("/c/\(number)"), isStreamed: !isStreamed) {
            case .success(let response) where response.statusCode == 200 && response.data == Self.control(number): break
            case .success(let response):
                run.report(
                    "a valid response was not the expected one", number, "\(response.statusCode), \(response.data.count) bytes")
            case .failure(let error): run.report("a valid response failed", number, "\(error)")
            }
        }

        /// The content codings that this client accepts, found with a separate request.
        private func codings() async -> Set<String> {
            if let codings = state.withLock(\.codings) { return codings }
            _ = await result(server.request("/c/0"), isStreamed: false)
            return state.withLock { $0.codings ?? [] }
        }

        private func result(_ request: NetworkRequest, isStreamed: Bool) async -> Result<NetworkResponse, TransportError> {
            do throws(TransportError) {
                guard isStreamed else { return .success(try await session.response(for: request)) }
                return .success(try await session.stream(for: request).collected())
            } catch {
                return .failure(error)
            }
        }

        private func judge(_ fuzz: FuzzCase, _ result: Result<NetworkResponse, TransportError>, _ duration: Duration) {
            run.count(fuzz.name)
            let details =
                "(\(fuzz.name), \(fuzz.end)): \(result), after \(duration); \(String(reflecting: Self.shown(fuzz.bytes)))"
            if duration > .seconds(60) { run.report("a call took too long", fuzz.number, details) }
            switch (fuzz.expectation, result) {
            case (.good(let status, let body), .success(let response)):
                if response.statusCode != status || response.data != body {
                    run.report("a valid response was parsed wrongly", fuzz.number, details)
                }
            case (.good, .failure): run.report("a valid response was refused", fuzz.number, details)
            case (.bad, .success): run.report("an invalid response was a success (\(fuzz.name))", fuzz.number, details)
            case (.bad(let codes), .failure(let error)):
                if !codes.contains(error.code) {
                    run.report("an error does not fit: \(error.code.rawValue) for \(fuzz.name)", fuzz.number, details)
                }
            case (.any, .failure(let error)):
                run.count("any: \(error.code.rawValue)")
                if [.other, .outOfResources].contains(error.code) {
                    run.report("an error has an unspecific code: \(error.code.rawValue)", fuzz.number, details)
                }
            case (.any, .success): run.count("any: success")
            }
            if case .failure(let error) = result, !fuzz.mayBeWhole(error.code) { spend(fuzz.number, "a response that failed") }
            if fuzz.isSpent { spend(fuzz.number, fuzz.name) }
        }

        /// The beginning of a response without filler bytes, which is enough to find its error.
        private static func shown(_ bytes: Data) -> String {
            String(decoding: bytes.filter { $0 != 0x61 }.prefix(500), as: UTF8.self)
        }

        private func spend(_ number: Int, _ reason: String) {
            state.withLock { state in
                guard let connection = state.carriers[number] else { return }
                state.spent[connection] = "\(reason), number \(number)"
            }
        }

        /// Waits until all unrequested bytes were sent, so that the client has to detect them before it reuses the connection.
        private func waitUntilSent(_ number: Int) async {
            await state.wait { $0.sent.contains(number) }
        }

        func end() async {
            server.stop()
            await server.waitUntilClosed()
        }
    }

    // The server's side.
    extension FuzzWorker {
        private static func control(_ number: Int) -> Data { Data("control \(number)".utf8) }

        private static func serve(_ connection: RawConnection, _ run: FuzzRun, _ state: Watched<State>) throws {
            while let request = try connection.request() {
                guard let number = Int(request.target.dropFirst(3)) else {
                    // The target of a redirect that a mutation created.
                    try connection.send("HTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n")
                    continue
                }
                if let reason = state.withLock({ $0.spent[connection.number] }) {
                    run.report("a connection was reused after \(reason.prefix { $0 != "," })", number, reason)
                }
                let codings = Set(
                    (request["accept-encoding"] ?? "").split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
                state.withLock { $0.codings = codings }
                if request.target.hasPrefix("/c/") {
                    let body = control(number)
                    try connection.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\r\n")
                    try connection.send(body)
                    continue
                }
                state.withLock { $0.carriers[number] = connection.number }
                let fuzz = FuzzCase(seed: run.seed, number: number, codings: codings)
                let isSent = Result { try send(fuzz, on: connection) }
                state.withLock { _ = $0.sent.insert(number) }
                try isSent.get()
                switch fuzz.end {
                case .keeps: break
                case .finishes: connection.drain()
                case .resets: connection.reset()
                }
                if fuzz.end != .keeps { return }
            }
        }

        /// Sends the bytes in parts, waits until each part has been sent if the case requires it, and then ends the sending side
        /// if it requires that.
        private static func send(_ fuzz: FuzzCase, on connection: RawConnection) throws {
            var start = 0
            for cut in fuzz.cuts where cut > start && cut < fuzz.bytes.count {
                try connection.send(fuzz.bytes.dropFirst(start).prefix(cut - start))
                start = cut
                if fuzz.waits { connection.flush() }
            }
            try connection.send(fuzz.bytes.dropFirst(start))
            connection.flush()
            if fuzz.end == .finishes { connection.finish() }
        }
    }
#endif
