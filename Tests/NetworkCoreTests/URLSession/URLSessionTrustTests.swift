import Endpoints
import Foundation
import NetworkSupport
import Testing

@_spi(SessionManagers) @testable import NetworkTransport
@testable import NetworkURLSession

#if canImport(Darwin)
    import Security
#endif

extension URLSessionTests {
    /// The decisions on a server's certificate as on Apple platforms, with a certificate whose checks the test determines.
    @Suite struct URLSessionTrustTests {
        private static let roots = TrustMaterial.data(Data(SampleCertificate.pem.utf8))
        private static let pin = TrustPin.publicKey(sha256: SampleCertificate.pin)
        private static let otherPin = TrustPin.publicKey(sha256: Data(repeating: 7, count: 32).base64EncodedString())

        private func trust(_ policy: TrustPolicy, hosts: [String: TrustPolicy] = [:]) throws -> URLSessionTrust {
            try URLSessionTrust(
                SessionConfiguration {
                    $0.trust = policy
                    $0.trustByHost = hosts
                }, support: .serverCertificates)
        }

        private func decision(
            _ policy: TrustPolicy, _ certificate: FakeCertificate?, url: String = "https://host.invalid/"
        ) throws -> ChallengeDecision {
            try trust(policy).decision(on: certificate, of: .unsent(url))
        }

        private func error(_ policy: TrustPolicy, _ certificate: FakeCertificate?) throws -> TransportError? {
            let (trust, request) = (try trust(policy), try NetworkRequest.unsent())
            return #expect(throws: TransportError.self) { try trust.decision(on: certificate, of: request) }
        }

        @Test func `the default policy leaves all checks to the system`() throws {
            let certificate = FakeCertificate(failure: CertificateFailure(code: -67818, message: "expired"))
            #expect(try decision(TrustPolicy(), certificate) == .defaultHandling)
            #expect(try decision(TrustPolicy(), nil) == .defaultHandling)
            #expect(certificate.calls.isEmpty)
        }

        @Test func `any other policy is not satisfied without a certificate`() throws {
            for policy in [
                TrustPolicy(roots: .insecureWithoutVerification), TrustPolicy(pins: [Self.pin]),
                TrustPolicy(minimumTLSVersion: .v1_3), TrustPolicy(roots: .pem(Self.roots)),
            ] {
                let error = try error(policy, nil)
                #expect(error?.code == .trustUnavailable && error?.phase == .tls)
            }
        }

        @Test func `a policy with the system's authorities verifies the certificate`() throws {
            let certificate = FakeCertificate()
            #expect(try decision(TrustPolicy(minimumTLSVersion: .v1_3), certificate) == .trustServer)
            #expect(certificate.calls == [.verify])
        }

        @Test(arguments: [false, true]) func `roots are set before the certificate is verified`(andSystem: Bool) throws {
            let certificate = FakeCertificate()
            let roots: TrustRoots = andSystem ? .systemAnd(pem: Self.roots) : .pem(Self.roots)
            #expect(try decision(TrustPolicy(roots: roots), certificate) == .trustServer)
            #expect(certificate.calls == [.setRoots([Array(SampleCertificate.der)], andSystem: andSystem), .verify])
        }

        @Test func `roots that cannot be set are an error, and the certificate is not verified`() throws {
            let certificate = FakeCertificate(acceptsRoots: false)
            let error = try error(TrustPolicy(roots: .systemAnd(pem: Self.roots)), certificate)
            #expect(error?.code == .trustUnavailable && error?.phase == .tls)
            #expect(!certificate.calls.contains(.verify))
        }

        /// https://developer.apple.com/documentation/security/security-framework-result-codes
        @Test(
            arguments: [
                (-67818, TLSFailure.certificateExpired), (-67819, .certificateNotYetValid), (-67602, .wrongHost),
                (-67843, .unknownIssuer), (-25318, .unknownIssuer), (-67820, .certificateRevoked), (-67671, .other),
                (nil, .other),
            ] as [(Int?, TLSFailure)])
        func `a certificate that is not trusted is an error with its reason`(code: Int?, failure: TLSFailure) throws {
            let certificate = FakeCertificate(failure: CertificateFailure(code: code, message: "not trusted"))
            for roots in [TrustRoots.system, .pem(Self.roots)] {
                let error = try error(TrustPolicy(roots: roots, minimumTLSVersion: .v1_3), certificate)
                #expect(error?.code == .tlsFailed && error?.phase == .tls && error?.tlsFailure == failure)
                #expect(error?.message == "not trusted")
            }
        }

        #if canImport(Darwin)
            @Test func `the result codes are those of Security`() {
                for (code, failure) in [
                    (errSecCertificateExpired, TLSFailure.certificateExpired),
                    (errSecCertificateNotValidYet, .certificateNotYetValid), (errSecHostNameMismatch, .wrongHost),
                    (errSecNotTrusted, .unknownIssuer), (errSecCreateChainFailed, .unknownIssuer),
                    (errSecCertificateRevoked, .certificateRevoked),
                ] {
                    #expect(TLSFailure(securityResult: Int(code)) == failure)
                }
            }
        #endif

        @Test func `without verification, only the pins are checked`() throws {
            let certificate = FakeCertificate(failure: CertificateFailure(code: -67843, message: "not trusted"))
            #expect(try decision(TrustPolicy(roots: .insecureWithoutVerification), certificate) == .trustServer)
            let error = try error(TrustPolicy(roots: .insecureWithoutVerification, pins: [Self.otherPin]), certificate)
            #expect(error?.tlsFailure == .pinMismatch)
            #expect(!certificate.calls.contains(.verify))
        }

        @Test func `one of the pins has to match the key of the server's certificate`() throws {
            let policy = TrustPolicy(pins: [Self.otherPin, Self.pin])
            #expect(try decision(policy, FakeCertificate()) == .trustServer)
            let others: [[[UInt8]]] = [[], [[]], [[0x30, 0x00]], [Array(SampleCertificate.der.dropLast())]]
            for chain in others {
                #expect(try error(policy, FakeCertificate(chain: chain))?.tlsFailure == .pinMismatch)
            }
            #expect(try error(TrustPolicy(pins: [Self.otherPin]), FakeCertificate())?.tlsFailure == .pinMismatch)
        }

        @Test func `the key of an authority counts only if the chain was verified`() throws {
            let chain = [[0x30, 0x00], Array(SampleCertificate.der)] as [[UInt8]]
            #expect(try decision(TrustPolicy(pins: [Self.pin]), FakeCertificate(chain: chain)) == .trustServer)
            let unverified = TrustPolicy(roots: .insecureWithoutVerification, pins: [Self.pin])
            #expect(try error(unverified, FakeCertificate(chain: chain))?.tlsFailure == .pinMismatch)
        }

        @Test func `a pin that matches does not replace the verification`() throws {
            let certificate = FakeCertificate(failure: CertificateFailure(code: -67602, message: "another host"))
            #expect(try error(TrustPolicy(pins: [Self.pin]), certificate)?.tlsFailure == .wrongHost)
        }

        @Test func `the policy is that of the request's host`() throws {
            let trust = try trust(TrustPolicy(), hosts: ["pinned.invalid": TrustPolicy(pins: [Self.otherPin])])
            let certificate = FakeCertificate()
            #expect(try trust.decision(on: certificate, of: .unsent("https://other.invalid/")) == .defaultHandling)
            let request = try NetworkRequest.unsent("https://PINNED.invalid:8443/")
            #expect(throws: TransportError.self) { try trust.decision(on: certificate, of: request) }
        }

        @Test func `a host is verified unless its policy accepts any certificate`() throws {
            let trust = try trust(
                TrustPolicy(), hosts: ["any.invalid": TrustPolicy(roots: .insecureWithoutVerification)])
            #expect(trust.isVerified(try .unsent("https://other.invalid/")))
            #expect(!trust.isVerified(try .unsent("https://any.invalid/")))
            // A host in this form cannot be compared.
            #expect(!trust.isVerified(try .unsent("https://10.1/")))
        }

        @Test func `policies that URLSession cannot apply are errors`() throws {
            let identity = ClientIdentity(
                certificate: Self.roots, key: .data(Data("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n".utf8)))
            let newest = TrustPolicy(minimumTLSVersion: .v1_3)
            for (policy, hosts, subject) in [
                (TrustPolicy(clientIdentity: identity), [:], "trust:"), (TrustPolicy(), ["a.invalid": newest], "a.invalid"),
                (newest, ["a.invalid": TrustPolicy()], "a.invalid"),
            ] as [(TrustPolicy, [String: TrustPolicy], String)] {
                let error = #expect(throws: TransportError.self) { try trust(policy, hosts: hosts) }
                #expect(error?.code == .trustUnavailable && error?.message.contains(subject) == true)
            }
            #expect(try trust(newest, hosts: ["a.invalid": newest]).minimumTLSVersion == .v1_3)
            #expect(try trust(TrustPolicy()).minimumTLSVersion == .v1_2)
        }

        // MARK: The response to a challenge

        @Test func `a challenge for credentials has the default handling with any policy`() async throws {
            for policy in [TrustPolicy(), TrustPolicy(pins: [Self.otherPin])] {
                let driven = try DrivenExchange(.unsent(), trust: try trust(policy))
                #expect(driven.exchange.decision(on: .credentials) == .defaultHandling)
                #expect(driven.transfer.driver.isAwaited)
            }
        }

        @Test func `a server's certificate that is accepted leaves the transfer under way`() throws {
            let driven = try DrivenExchange(.unsent(), trust: try trust(TrustPolicy(pins: [Self.pin])))
            #expect(driven.exchange.decision(on: .serverTrust(FakeCertificate())) == .trustServer)
            #expect(driven.transfer.driver.isAwaited)
        }

        @Test func `a server's certificate that is not accepted fails the transfer before the challenge is cancelled`()
            async throws
        {
            let driven = try DrivenExchange(.unsent(), trust: try trust(TrustPolicy(pins: [Self.otherPin])))
            #expect(driven.exchange.decision(on: .serverTrust(FakeCertificate())) == .cancel)
            #expect(!driven.transfer.driver.isAwaited)
            // What `URLSession` reports after that.
            _ = driven.complete(.cancelled)
            guard case .failure(let error) = await driven.outcomes.wait(count: 1)[0] else { return }
            #expect(error.code == .tlsFailed && error.tlsFailure == .pinMismatch && !error.isCancelled)
        }

        @Test func `without a policy, no server is trusted`() async throws {
            let driven = try DrivenExchange(.unsent(), trust: nil)
            #expect(driven.exchange.decision(on: .serverTrust(FakeCertificate())) == .cancel)
            guard case .failure(let error) = await driven.outcomes.wait(count: 1)[0] else { return }
            #expect(error.code == .trustUnavailable)
        }

        @Test func `each decision has its disposition`() {
            #expect(ChallengeDecision.defaultHandling.disposition == .performDefaultHandling)
            #expect(ChallengeDecision.trustServer.disposition == .useCredential)
            #expect(ChallengeDecision.cancel.disposition == .cancelAuthenticationChallenge)
        }
    }
}

/// A certificate whose checks have the results that a test states.
private final class FakeCertificate: ServerCertificate, Sendable {
    enum Call: Hashable, Sendable {
        case setRoots([[UInt8]], andSystem: Bool)
        case verify
    }

    private let acceptsRoots: Bool
    private let failure: CertificateFailure?
    let chain: [[UInt8]]
    private let recorded = Locked<[Call]>([])

    init(
        acceptsRoots: Bool = true, failure: CertificateFailure? = nil, chain: [[UInt8]] = [Array(SampleCertificate.der)]
    ) {
        self.acceptsRoots = acceptsRoots
        self.failure = failure
        self.chain = chain
    }

    var calls: [Call] { recorded.withLock { $0 } }

    func setRoots(_ roots: [[UInt8]], andSystem: Bool) -> Bool {
        recorded.withLock { $0.append(.setRoots(roots, andSystem: andSystem)) }
        return acceptsRoots
    }

    func verify() -> CertificateFailure? {
        recorded.withLock { $0.append(.verify) }
        return failure
    }
}
