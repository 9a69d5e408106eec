import Endpoints
import Foundation
import NetworkLogging

/// The trust policies of a session manager, by host.
///
/// The policy of a host does not change while the session manager exists, and no connection serves two hosts. So a connection
/// that was opened under one policy is never used under another.
package struct TrustTable: Sendable {
    package let standard: LoadedTrust
    /// All policies, in the order of their numbers.
    package private(set) var all: [LoadedTrust]
    private var byHost = HostTable<LoadedTrust>()

    /// Creates a table, and reads every file that the policies refer to.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable``, with a message that names the policy.
    init(_ policy: TrustPolicy, byHost policies: [String: TrustPolicy]) throws(TransportError) {
        standard = try Self.load(policy, number: 0, subject: "trust")
        all = [standard]
        for (name, policy) in policies.sorted(by: { $0.key < $1.key }) {
            let subject = "trustByHost[\"\(name)\"]"
            let trust = try Self.load(policy, number: all.count, subject: subject)
            do throws(HostTable<LoadedTrust>.InvalidName) {
                try byHost.insert(trust, for: name)
            } catch {
                throw TrustError(error.message).transportError(of: subject)
            }
            all.append(trust)
        }
    }

    private static func load(_ policy: TrustPolicy, number: Int, subject: String) throws(TransportError) -> LoadedTrust {
        do throws(TrustError) {
            return try LoadedTrust(policy, number: number, subject: subject)
        } catch {
            throw error.transportError(of: subject)
        }
    }

    /// Returns the policy for a request: that of the exact host, else of the pattern that it matches, else the session manager's
    /// default.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable`` if there are policies for hosts and the request's host is written in a
    ///   form that cannot be compared, or if the request states another policy than the session manager has.
    package func trust(for request: NetworkRequest) throws(TransportError) -> LoadedTrust {
        let trust = try configuredTrust(for: request)
        try request.requireStatedTrust(trust.policy)
        return trust
    }

    private func configuredTrust(for request: NetworkRequest) throws(TransportError) -> LoadedTrust {
        if all.count == 1 { return standard }
        guard request.isSecure else { return standard }
        guard let trust = trust(ofHost: HostName.withoutPort(URLText(request.urlText).hostAndPort)) else {
            throw TransportError(
                .trustUnavailable, "the host is written in a form that cannot be matched to a trust policy", request: request
            )
        }
        return trust
    }

    /// Returns the policy for a host, such as that of a proxy; `nil` if there are policies for hosts and this one is written in a form that cannot be
    /// compared.
    package func trust(ofHost text: Substring) -> LoadedTrust? {
        if all.count == 1 { return standard }
        guard let host = HostName.canonical(text) else { return nil }
        return byHost.value(for: host) ?? standard
    }
}

/// A trust policy after everything was read and checked that does not need a connection.
package final class LoadedTrust: Sendable {
    package enum Roots: Sendable {
        case system
        /// Only these certificates, in DER, and those of the system if `andSystem` is `true`.
        case certificates([[UInt8]], andSystem: Bool)
        case anyone
    }

    /// The position in the table; 0 is the session manager's default.
    package let number: Int
    /// The policy that was loaded.
    let policy: TrustPolicy
    /// The name of the policy in messages.
    package let subject: String
    /// Whether the policy requires nothing beyond the platform's own checks.
    package let isDefault: Bool
    package let roots: Roots
    /// The SHA-256 of public keys, one of which must match; no key is required if the list is empty.
    package let pins: [[UInt8]]
    package let identity: LoadedIdentity?
    package let minimumTLSVersion: TLSVersion

    init(_ policy: TrustPolicy, number: Int, subject: String) throws(TrustError) {
        self.number = number
        self.policy = policy
        self.subject = subject
        isDefault = policy == TrustPolicy()
        switch policy.roots.choice {
        case .system: roots = .system
        case .anyone: roots = .anyone
        case .only(let pem): roots = .certificates(try PEMText.certificates(in: pem.load(), of: pem), andSystem: false)
        case .systemAnd(let pem): roots = .certificates(try PEMText.certificates(in: pem.load(), of: pem), andSystem: true)
        }
        if let pins = policy.pins, pins.isEmpty { throw TrustError("the list of pins is empty; use nil for no pins") }
        var digests: [[UInt8]] = []
        for pin in policy.pins ?? [] { digests.append(try pin.load()) }
        pins = digests
        identity = try policy.clientIdentity?.load()
        minimumTLSVersion = policy.minimumTLSVersion
        guard TLSVersion.known.contains(minimumTLSVersion) else { throw TrustError("\(minimumTLSVersion) is not supported") }
    }
}

/// A client certificate and its key, ready to be passed to a TLS library.
package struct LoadedIdentity: Sendable {
    package enum Form: Sendable {
        /// The certificates in DER, the client's own first, and the private key in PEM, which may be encrypted.
        case separate(certificates: [[UInt8]], key: StableBytes)
        /// A PKCS #12 container.
        case container(StableBytes)
    }

    package let form: Form
    /// The passphrase of the key or of the container; empty if they are not encrypted.
    @Secret package var passphrase: String
}

/// The reason why a trust policy cannot be loaded or enforced, in a message that contains no secret.
package struct TrustError: Error {
    package var message: String

    package init(_ message: String) {
        self.message = message
    }

    /// Returns the error with which requests fail.
    ///
    /// - Parameter subject: The name of the policy, `trust` or `trustByHost["…"]`.
    package func transportError(of subject: String) -> TransportError {
        TransportError(.trustUnavailable, "\(subject): \(message)")
    }
}

/// Bytes at a fixed address in memory, for C code that does not copy them.
// Unchecked Sendable, because the buffer is a pointer: it is written only in `init`.
package final class StableBytes: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer

    package init(_ bytes: [UInt8]) {
        buffer = .allocate(byteCount: max(bytes.count, 1), alignment: 1)
        count = bytes.count
        buffer.copyBytes(from: bytes)
    }

    deinit {
        buffer.deallocate()
    }

    package let count: Int
    package var start: UnsafeRawPointer? { UnsafeRawPointer(buffer.baseAddress) }
}
