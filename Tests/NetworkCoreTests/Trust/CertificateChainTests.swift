#if os(Linux)
    import Foundation
    import NetworkTransport
    import Testing
    import TransferTestSupport

    @testable import NetworkEngine

    /// Certificate chains of servers, and what two other implementations decide about them (`Scripts/certificate-chains`).
    @Suite(.timeLimit(.minutes(10)), .needs("python3 and the openssl command", TLSServers.areAvailable))
    struct CertificateChainTests {
        private struct Verdict: Decodable {
            var accepted: Bool
            var reason: String?
            var code: Int?
        }

        private struct Case: Decodable {
            var name: String
            var address: String
            var port: Int
            var host: String
            var roots: String
            /// What OpenSSL decides.
            var openssl: Verdict
            /// What Go decides; `nil` on a machine without it.
            var other: Verdict?
        }

        @Test func `no certificate is accepted that others refuse, and each that both accept is accepted`() async throws {
            let servers = try ScriptedServers("certificate-chains")
            let cases = try JSONDecoder().decode([Case].self, from: servers.announcement)
            #expect(cases.count > 250)
            var counts = (accepted: 0, refused: 0)
            for row in cases {
                let host = row.host.contains(":") ? "[\(row.host)]" : row.host
                guard let url = URL(string: "https://\(host):\(row.port)/") else { continue }
                let session = SocketSessionManager(
                    configuration: SessionConfiguration {
                        $0.proxy = .none
                        $0.trust = TrustPolicy(roots: .pem(.file(URL(fileURLWithPath: row.roots))))
                        $0.route.addresses[row.host.trimmingSuffix(".")] = [row.address]
                    })
                do {
                    _ = try await session.response(for: NetworkRequest(url: url))
                    counts.accepted += 1
                    #expect(row.openssl.accepted, "\(row.name) is accepted")
                } catch {
                    // Such a host is refused before anything is sent.
                    if error.code == .invalidConfiguration || error.code == .invalidRequest { continue }
                    counts.refused += 1
                    #expect(error.code == .tlsFailed || error.code == .trustUnavailable, "\(row.name): \(error)")
                    // Longer chains take too long to verify, and are refused here (``HandshakeLimitTests``).
                    let isTooLong = error.message.contains("certificate chain too long")
                    #expect(!row.openssl.accepted || isTooLong, "\(row.name): \(error)")
                }
            }
            print("certificate chains: \(counts.accepted) accepted, \(counts.refused) refused of \(cases.count)")
            #expect(counts.accepted > 50 && counts.refused > 100)
        }
    }

    extension String {
        fileprivate func trimmingSuffix(_ suffix: String) -> String {
            hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
        }
    }
#endif
