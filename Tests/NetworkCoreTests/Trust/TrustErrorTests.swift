import Endpoints
import Foundation
import NetworkTesting
import Testing
import TransferTestSupport

import NetworkCore
@testable import NetworkEngine
@testable import NetworkTransport
@testable import NetworkURLSession

/// Trust policies that cannot be loaded make each request fail before a byte is sent.
struct TrustErrorTests {
    static let damaged = SampleCertificate.pem.replacingOccurrences(of: "MIIBeDCC", with: "MIIBeDCD")
    static let key = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"

    static func data(_ text: String) -> Data { Data(text.utf8) }

    static func identity(_ certificate: String, _ key: String, passphrase: String? = nil) -> TrustPolicy {
        TrustPolicy(
            clientIdentity: ClientIdentity(
                certificate: .data(data(certificate)), key: .data(data(key)), passphrase: passphrase))
    }

    static let rows: [(policy: TrustPolicy, text: String)] = [
        (TrustPolicy(roots: .pem(.file(URL(fileURLWithPath: "/nowhere/ca.pem")))), "/nowhere/ca.pem cannot be read"),
        (TrustPolicy(roots: .pem(.file(URL(fileURLWithPath: "/")))), "/ cannot be read"),
        (TrustPolicy(roots: .pem(.file(URL(fileURLWithPath: "/dev/null")))), "empty"),
        (TrustPolicy(roots: .systemAnd(pem: .data(Data()))), "empty"),
        (TrustPolicy(roots: .pem(.data(data("no certificate")))), "contains no certificate"),
        (TrustPolicy(roots: .pem(.data(SampleCertificate.der))), "contains no certificate"),
        (TrustPolicy(roots: .pem(.data(data(damaged)))), "certificate 1 in"),
        (TrustPolicy(roots: .pem(.data(data(SampleCertificate.pem + "\n" + damaged)))), "certificate 2 in"),
        (TrustPolicy(roots: .pem(.data(data(String(SampleCertificate.pem.dropLast(30)))))), "without an end"),
        (TrustPolicy(roots: .pem(.file(bundle: .main, name: "no-such.pem"))), "no file \"no-such.pem\""),
        (TrustPolicy(pins: []), "empty; use nil for no pins"),
        (TrustPolicy(pins: [.publicKey(sha256: "")]), "not the base64 of 32 bytes"),
        (TrustPolicy(pins: [.publicKey(sha256: "AAAA")]), "not the base64 of 32 bytes"),
        (TrustPolicy(pins: [.publicKey(sha256: "!")]), "not the base64 of 32 bytes"),
        (TrustPolicy(pins: [.publicKey(sha256: Data(count: 31))]), "31 bytes instead of 32"),
        (TrustPolicy(pins: [.publicKey(sha256: SampleCertificate.pin), .publicKey(sha256: "sha1/AAAA")]), "not the base64"),
        (TrustPolicy(pins: [.certificate(.data(data("x")))]), "is not a certificate"),
        (TrustPolicy(pins: [.certificate(.data(data(SampleCertificate.pem + "\n" + SampleCertificate.pem)))]), "2 certificates"),
        (TrustPolicy(pins: [.certificate(.file(bundle: .main, name: "no-such.cer"))]), "no file \"no-such.cer\""),
        (TrustPolicy(minimumTLSVersion: TLSVersion(rawValue: 0x0300)), "not supported"),
        (identity(SampleCertificate.pem, SampleCertificate.pem), "0 private keys"),
        (identity("x", key), "contains no certificate"),
        (identity(SampleCertificate.pem, key), "encrypted, and no"),
        (identity(SampleCertificate.pem, key + key, passphrase: "x"), "2 private keys"),
        (identity(SampleCertificate.pem, key, passphrase: "a\0b"), "NUL"),
    ]

    private func expectFailure(_ session: some NetworkSessionManager, text: String, about subject: String) async throws {
        let server = try LoopbackServer { _ in .text("x") }
        let error = try await failure(of: session, server.request("/"))
        #expect(error.code == .trustUnavailable, "\(error)")
        #expect(error.message.contains(text) && error.message.hasPrefix(subject), "\(error.message)")
        #expect(server.connectionCount == 0)
    }

    @Test(arguments: rows.indices)
    func `every request fails if the trust policy cannot be loaded`(index: Int) async throws {
        let (policy, text) = Self.rows[index]
        let own = SessionConfiguration { $0.trust = policy }
        try await expectFailure(DefaultSessionManager(configuration: own), text: text, about: "trust:")
        let hosts = SessionConfiguration { $0.trustByHost["a.example"] = policy }
        try await expectFailure(DefaultSessionManager(configuration: hosts), text: text, about: "trustByHost[\"a.example\"]:")
    }

    @Test func `descriptions of policies do not contain keys, passphrases or bytes`() {
        let policy = Self.identity(SampleCertificate.pem, "hush-key", passphrase: "hush-passphrase")
        let configuration = SessionConfiguration { $0.trustByHost["a.example"] = policy }
        var texts = ["\(policy)", String(reflecting: policy), "\(configuration)", String(reflecting: configuration), ""]
        dump(configuration, to: &texts[4])
        for text in texts {
            #expect(!text.contains("hush") && text.contains("8 bytes"), "\(text)")
        }
    }

    @Test func `policies with equal settings are equal`() {
        #expect(TrustPolicy() == TrustPolicy() && TrustPolicy() != TrustPolicy(roots: .insecureWithoutVerification))
        #expect(TrustPolicy(pins: []) != TrustPolicy() && SessionConfiguration() == SessionConfiguration())
        #expect(TLSVersion.v1_2 < .v1_3 && TLSVersion.obsoleteV1_0 < .obsoleteV1_1 && "\(TLSVersion.v1_3)" == "TLS 1.3")
    }

    #if os(Linux)
        static let enforceable: [TrustPolicy] = [
            TrustPolicy(roots: .insecureWithoutVerification), TrustPolicy(minimumTLSVersion: .v1_3),
            TrustPolicy(minimumTLSVersion: .obsoleteV1_0),
            TrustPolicy(roots: .pem(.data(data(SampleCertificate.pem)))),
            TrustPolicy(roots: .systemAnd(pem: .data(data(SampleCertificate.pem)))),
            TrustPolicy(pins: [.publicKey(sha256: SampleCertificate.pin)]), TrustPolicy(pins: []),
            identity(SampleCertificate.pem, key, passphrase: "x"),
        ]

        @Test(arguments: enforceable.indices)
        func `URLSession on Linux refuses trust policies that it cannot enforce`(index: Int) async throws {
            let policy = Self.enforceable[index]
            let own = URLSessionManager(configuration: SessionConfiguration { $0.trust = policy })
            try await expectFailure(own, text: "URLSession on Linux cannot", about: "trust:")
            let hosts = URLSessionManager(configuration: SessionConfiguration { $0.trustByHost["a.example"] = policy })
            try await expectFailure(hosts, text: "URLSession on Linux cannot", about: "trustByHost[\"a.example\"]:")
        }
    #endif
}
