import Endpoints
import NetworkCore
import NetworkSupport

extension ChallengeInterceptor {
    /// How well a challenge protects the password and the request: the hash function, what the response covers, and whether the user name is
    /// hidden. Each part is compared by itself, so that none of them can be given up for another.
    public struct Strength: Hashable, Sendable {
        /// The password itself, which Basic sends (RFC 7617).
        public static let basic = Strength(hash: 0, protection: 0)
        /// Digest with MD5 and without `qop` (RFC 2069), for which an attacker can choose all of what is hashed with the password.
        public static let digest = Strength(hash: 1, protection: 0)
        /// Digest with MD5 and `qop` (RFC 7616 §3.4).
        public static let md5 = Strength(hash: 1, protection: 1)
        /// Digest with SHA-256 and `qop` (RFC 7616 §3.4).
        public static let sha256 = Strength(hash: 2, protection: 1)

        /// 0 without one, 1 for MD5, 2 for SHA-256.
        private(set) var hash: Int
        /// 0 without `qop`, 1 for `auth`, 2 for `auth-int`.
        private(set) var protection: Int
        /// Whether the user name is sent as a hash (`userhash`).
        private(set) var hidesUser: Bool

        init(hash: Int, protection: Int, hidesUser: Bool = false) {
            self.hash = hash
            self.protection = protection
            self.hidesUser = hidesUser
        }

        /// Whether no part is weaker than that of another strength.
        func isAtLeast(_ other: Strength) -> Bool {
            hash >= other.hash && protection >= other.protection && (hidesUser || !other.hidesUser)
        }

        /// Raises each part to that of another strength.
        mutating func rise(to other: Strength) {
            hash = max(hash, other.hash)
            protection = max(protection, other.protection)
            hidesUser = hidesUser || other.hidesUser
        }
    }
}

extension ChallengeInterceptor.Strength: CustomStringConvertible {
    /// A textual representation, such as `Digest with SHA-256, qop=auth`.
    public var description: String {
        if hash == 0 { return "Basic" }
        let parts: [String?] = [
            hash == 1 ? "MD5" : "SHA-256", ["no qop", "qop=auth", "qop=auth-int"][protection.clamped(to: 0...2)],
            hidesUser ? "userhash" : nil,
        ]
        return "Digest with " + parts.compactMap(\.self).joined(separator: ", ")
    }
}
