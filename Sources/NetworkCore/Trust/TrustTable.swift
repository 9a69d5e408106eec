import Endpoints
import Foundation

/// Which policy holds for which host of a session manager.
///
/// A host has one policy as long as the session manager lives, and no connection serves two hosts: so a connection made under
/// one policy is never used under another.
struct TrustTable: Sendable {
    let standard: LoadedTrust
    /// All in the order of their numbers.
    private(set) var all: [LoadedTrust]
    private var byHost: [String: LoadedTrust] = [:]
    /// `*.example.com` under `example.com`.
    private var byParent: [String: LoadedTrust] = [:]

    /// Reads every file that the policies name.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable``, which names the policy.
    init(_ configuration: SessionConfiguration) throws(TransportError) {
        standard = try Self.load(configuration.trust, number: 0, subject: "trust")
        all = [standard]
        for (name, policy) in configuration.trustByHost.sorted(by: { $0.key < $1.key }) {
            let subject = "trustByHost[\"\(name)\"]"
            let isPattern = name.hasPrefix("*.")
            guard let host = HostName.canonical(isPattern ? name.dropFirst(2) : name[...]),
                !isPattern || !HostName.isAddress(host)
            else {
                throw TrustFlaw("not a host name; international ones are written in ASCII, without a port").transportError(
                    of: subject)
            }
            let trust = try Self.load(policy, number: all.count, subject: subject)
            guard (isPattern ? byParent : byHost)[host] == nil else {
                throw TrustFlaw("there is another policy for the same host").transportError(of: subject)
            }
            if isPattern { byParent[host] = trust } else { byHost[host] = trust }
            all.append(trust)
        }
    }

    private static func load(_ policy: TrustPolicy, number: Int, subject: String) throws(TransportError) -> LoadedTrust {
        do throws(TrustFlaw) {
            return try LoadedTrust(policy, number: number, subject: subject)
        } catch {
            throw error.transportError(of: subject)
        }
    }

    /// The policy of the exact host, else of the pattern it falls under, else the session manager's own.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable`` for a host written so that it cannot be compared, where that matters, and
    ///   for a request that states another policy than the session manager has.
    func trust(for request: NetworkRequest) throws(TransportError) -> LoadedTrust {
        let trust = try configuredTrust(for: request)
        try request.requireStatedTrust(trust.policy)
        return trust
    }

    private func configuredTrust(for request: NetworkRequest) throws(TransportError) -> LoadedTrust {
        if all.count == 1 { return standard }
        let text = URLText(request.url)
        guard text.scheme == "https" else { return standard }
        guard let host = HostName.canonical(HostName.withoutPort(text.hostAndPort)) else {
            throw TransportError(
                .trustUnavailable, "the host is written in a way that does not tell which trust policy is meant", request: request
            )
        }
        if let trust = byHost[host] { return trust }
        if HostName.isAddress(host) { return standard }
        guard let dot = host.firstIndex(of: ".") else { return standard }
        return byParent[String(host[host.index(after: dot)...])] ?? standard
    }
}

/// A trust policy with everything read and checked that can be without a connection.
struct LoadedTrust: Sendable {
    enum Roots: Sendable {
        case system
        /// Certificates in DER.
        case certificates([[UInt8]], andSystem: Bool)
        case anyone
    }

    /// Its place in the table; 0 is the session manager's own.
    let number: Int
    /// What it was loaded from.
    let policy: TrustPolicy
    /// Which policy, in messages.
    let subject: String
    /// Whether nothing beyond the platform's own checks is asked for.
    let isDefault: Bool
    let roots: Roots
    /// SHA-256 of public keys, of which one must match unless there are none.
    let pins: [[UInt8]]
    let identity: LoadedIdentity?
    let minimumTLSVersion: TLSVersion

    init(_ policy: TrustPolicy, number: Int, subject: String) throws(TrustFlaw) {
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
        if let pins = policy.pins, pins.isEmpty { throw TrustFlaw("the list of pins is empty; nil asks for none") }
        var digests: [[UInt8]] = []
        for pin in policy.pins ?? [] { digests.append(try pin.load()) }
        pins = digests
        identity = try policy.clientIdentity?.load()
        minimumTLSVersion = policy.minimumTLSVersion
        guard TLSVersion.known.contains(minimumTLSVersion) else { throw TrustFlaw("\(minimumTLSVersion) is not known") }
    }
}

/// A client certificate with its key, ready to be handed on.
struct LoadedIdentity: Sendable {
    /// PEM, the client's own first.
    let certificates: StableBytes
    /// PEM.
    let key: StableBytes
    /// Empty when there is none.
    let passphrase: String
}

/// Why a trust policy cannot be loaded or enforced, in words that name no secret.
struct TrustFlaw: Error {
    var message: String

    init(_ message: String) {
        self.message = message
    }

    /// - Parameter subject: Which policy, `trust` or `trustByHost["…"]`.
    func transportError(of subject: String) -> TransportError {
        TransportError(.trustUnavailable, "\(subject): \(message)")
    }
}

/// Bytes that keep their place in memory, for C code that does not copy them.
// Sendable although unchecked: written once, in `init`.
final class StableBytes: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer

    init(_ bytes: [UInt8]) {
        buffer = .allocate(byteCount: max(bytes.count, 1), alignment: 1)
        count = bytes.count
        buffer.copyBytes(from: bytes)
    }

    deinit {
        buffer.deallocate()
    }

    let count: Int
    var start: UnsafeRawPointer? { UnsafeRawPointer(buffer.baseAddress) }
}
