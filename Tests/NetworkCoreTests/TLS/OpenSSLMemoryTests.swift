#if os(Linux)
    import Endpoints
    import Foundation
    import NetworkSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine
    @testable import NetworkTransport

    /// What is created with OpenSSL is freed. The leak check sees nothing of that, because the stacks of what OpenSSL allocates end in OpenSSL
    /// (`.ci/leaks.supp`): here, OpenSSL allocates with functions that count.
    @Suite(.timeLimit(.minutes(5)), .needs("python3 and the openssl command", TLSServers.areAvailable))
    struct OpenSSLMemoryTests {
        @Test func `session managers and their connections leave nothing behind that OpenSSL has allocated`() async {
            await #expect(processExitsWith: .success) {
                try #require(LiveAllocations.begin(), "OpenSSL has allocated before")
                let servers = try TLSServers.running()
                // Names, algorithms and errors are loaded once.
                for _ in 0..<3 { try await Self.useAll(servers) }
                try await Self.useAll(servers)
                let before = await LiveAllocations.settled(at: 0, within: .seconds(2))
                let rounds = 10
                for _ in 0..<rounds { try await Self.useAll(servers) }
                // Fewer than one for each round are of a thread or a table of OpenSSL.
                let limit = before + rounds - 1
                let after = await LiveAllocations.settled(at: limit, within: .seconds(60))
                #expect(after <= limit, "\(rounds) rounds have left \(after - before) allocations behind")
            }
        }

        /// Uses a session manager for each way in which a connection over TLS succeeds or fails, and closes it.
        private static func useAll(_ servers: TLSServers) async throws {
            let roots = servers.authority
            let encrypted = servers.file("client-encrypted.key")
            let identity = ClientIdentity(
                certificate: .file(servers.file("client.pem")), key: .file(encrypted), passphrase: "open sesame")
            let bundle = ClientIdentity(pkcs12: .file(servers.file("client.p12")), passphrase: "open sesame")
            let rows: [(server: String, trust: TrustPolicy, code: TransportError.Code?)] = [
                ("good", TrustPolicy(roots: roots), nil), ("tls-1.2", TrustPolicy(roots: roots), nil),
                ("good", TrustPolicy(roots: roots, pins: [servers.pin("client"), servers.pin("good")]), nil),
                ("good", TrustPolicy(roots: roots, pins: [.certificate(.file(servers.file("good.pem")))]), nil),
                ("good", TrustPolicy(roots: roots, pins: [servers.pin("client")]), .tlsFailed),
                ("good", TrustPolicy(), .tlsFailed), ("expired", TrustPolicy(roots: roots), .tlsFailed),
                ("good", TrustPolicy(roots: .insecureWithoutVerification), nil),
                ("client-1.2", TrustPolicy(roots: roots, clientIdentity: identity), nil),
                ("client-1.3", TrustPolicy(roots: roots, clientIdentity: identity), nil),
                ("client-1.3", TrustPolicy(roots: roots), .tlsFailed),
                ("client-1.3", TrustPolicy(roots: roots, clientIdentity: bundle), nil),
                ("wrong-host", TrustPolicy(roots: roots), .tlsFailed), ("common-name", TrustPolicy(roots: roots), .tlsFailed),
                (
                    "good", TrustPolicy(roots: roots, clientIdentity: ClientIdentity(certificate: .file(encrypted))),
                    .trustUnavailable
                ),
            ]
            for row in rows {
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.trust = row.trust })
                // The second one resumes a TLS session, or uses the same connection.
                for _ in 0..<2 {
                    do throws(TransportError) {
                        _ = try await session.response(for: NetworkRequest(url: servers.url(row.server)))
                        #expect(row.code == nil, "\(row.server)")
                    } catch {
                        #expect(error.code == row.code, "\(row.server): \(error)")
                    }
                }
                let cancelled = Task {
                    try await session.response(for: NetworkRequest(url: servers.url(row.server, host: "127.0.0.1")))
                }
                cancelled.cancel()
                _ = await cancelled.result
                _ = await session.close(grace: .zero)
            }
        }
    }

    /// The number of blocks of memory that OpenSSL has allocated and not freed.
    private enum LiveAllocations {
        private static let count = Locked(0)

        /// Makes OpenSSL count.
        ///
        /// - Returns: `false` if OpenSSL has allocated memory before.
        static func begin() -> Bool {
            typealias Allocate = @convention(c) (Int, UnsafePointer<CChar>?, CInt) -> UnsafeMutableRawPointer?
            typealias Resize =
                @convention(c) (UnsafeMutableRawPointer?, Int, UnsafePointer<CChar>?, CInt) ->
                UnsafeMutableRawPointer?
            typealias Free = @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, CInt) -> Void
            guard let library = dlopen("libssl.so.3", RTLD_NOW) ?? dlopen("libssl.so.1.1", RTLD_NOW),
                let address = dlsym(library, "CRYPTO_set_mem_functions")
            else { return false }
            let set = unsafeBitCast(address, to: (@convention(c) (Allocate, Resize, Free) -> CInt).self)
            return set(
                { size, _, _ in
                    guard size > 0 else { return nil }
                    LiveAllocations.count.withLock { $0 += 1 }
                    return malloc(size)
                },
                { block, size, _, _ in
                    if size == 0 {
                        if block != nil { LiveAllocations.count.withLock { $0 -= 1 } }
                        free(block)
                        return nil
                    }
                    if block == nil { LiveAllocations.count.withLock { $0 += 1 } }
                    return realloc(block, size)
                },
                { block, _, _ in
                    guard block != nil else { return }
                    LiveAllocations.count.withLock { $0 -= 1 }
                    free(block)
                }) == 1
        }

        /// Waits until at most `expected` blocks are left, or until threads that have ended have had time to free theirs.
        static func settled(at expected: Int, within time: Duration) async -> Int {
            let end = ContinuousClock.now + time
            while count.withLock(\.self) > expected, ContinuousClock.now < end { await Task.yield() }
            return count.withLock(\.self)
        }
    }
#endif
