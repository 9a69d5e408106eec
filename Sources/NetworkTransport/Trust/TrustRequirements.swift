import Endpoints
import NetworkLogging

/// What a trust policy requires, read from its files and checked: for session managers with another TLS library.
///
/// A session manager that cannot enforce one of these values refuses its requests with ``TransportError/Code/trustUnavailable``.
@_spi(SessionManagers) public struct TrustRequirements: Sendable {
    /// The certificate authorities that are trusted.
    public enum Roots: Sendable {
        /// Those of the system.
        case system
        /// Only these certificates, in DER, and those of the system if `andSystem` is `true`.
        case certificates([[UInt8]], andSystem: Bool)
        /// Any certificate for any host name is accepted.
        case anyone
    }

    /// A client certificate and its key, which descriptions do not contain.
    public struct Identity: Sendable {
        /// The certificates in PEM, the client's own first.
        public let certificates: [UInt8]
        /// The private key in PEM, which may be encrypted.
        public let key: [UInt8]
        /// The PKCS #12 container that has both, instead of ``certificates`` and ``key``; `nil` if these are set.
        public let container: [UInt8]?
        /// The passphrase of the key or of the container; empty if they are not encrypted.
        public let passphrase: String
    }

    /// The certificate authorities that are trusted.
    public let roots: Roots
    /// The SHA-256 of public keys, one of which the server's certificate must contain; empty if no key is required.
    public let pins: [[UInt8]]
    /// The certificate that is presented to a server that requests one; `nil` if there is none.
    public let identity: Identity?
    /// The oldest version of TLS that is accepted.
    public let minimumTLSVersion: TLSVersion

    /// Reads the files of a policy, which may block.
    ///
    /// - Throws: ``TransportError/Code/trustUnavailable`` if something cannot be read or is damaged.
    public init(_ policy: TrustPolicy) throws(TransportError) {
        let trust: LoadedTrust
        do throws(TrustError) {
            trust = try LoadedTrust(policy, number: 0, subject: "trust")
        } catch {
            throw error.transportError(of: "trust")
        }
        roots =
            switch trust.roots {
            case .system: .system
            case .certificates(let certificates, let andSystem): .certificates(certificates, andSystem: andSystem)
            case .anyone: .anyone
            }
        pins = trust.pins
        identity = trust.identity.map { Identity($0) }
        minimumTLSVersion = trust.minimumTLSVersion
    }
}

@_spi(SessionManagers) extension TrustRequirements.Identity {
    fileprivate init(_ identity: LoadedIdentity) {
        passphrase = identity.passphrase
        switch identity.form {
        case .separate(let certificates, let key):
            self.certificates = Array(PEMText.text(certificates).utf8)
            self.key = key.copy
            container = nil
        case .container(let container):
            certificates = []
            key = []
            self.container = container.copy
        }
    }
}

extension StableBytes {
    fileprivate var copy: [UInt8] { Array(UnsafeRawBufferPointer(start: start, count: count)) }
}

@_spi(SessionManagers) extension TrustRequirements.Identity: RedactedStringConvertible {
    /// The fixed text "client identity".
    public var description: String { "client identity" }
    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
