import Endpoints
import Foundation
import NetworkCore
import NetworkLogging
import NetworkSupport

/// The responses to one nonce of a server, for Digest authentication (RFC 7616).
///
/// Each request gets the next nonce count, and a client nonce of 16 random bytes. Sessions contain no password, only its digest.
final class DigestSession: Sendable {
    /// A hash function, with the names of its two algorithms (RFC 7616 §3.3).
    enum Algorithm: String, CaseIterable, Sendable {
        case sha256 = "SHA-256"
        case md5 = "MD5"

        func hexadecimal(of text: String) -> String {
            switch self {
            case .sha256: SHA256.digest(of: text.utf8).hexadecimal
            case .md5: MD5.digest(of: text.utf8).hexadecimal
            }
        }

        /// Reads a body that is in a file or a stream.
        func hexadecimal(of body: NetworkBody?, of request: NetworkRequest) async throws(TransportError) -> String {
            guard let body else { return hexadecimal(of: "") }
            return switch self {
            case .sha256: try await body.digest(SHA256.self, for: request).hexadecimal
            case .md5: try await body.digest(MD5.self, for: request).hexadecimal
            }
        }
    }

    /// What the response protects (RFC 7616 §3.4.3).
    enum Protection: String, Sendable {
        /// Method and URL.
        case request = "auth"
        /// Method, URL and body.
        case requestAndBody = "auth-int"
    }

    /// The parts that a later nonce of the same challenge shares.
    private struct Terms: Sendable {
        let algorithm: Algorithm
        /// The algorithm as the challenge names it; `nil` if it names none, which means MD5.
        let algorithmName: String?
        /// What the challenge offers, in comparison with others.
        let strength: ChallengeInterceptor.Strength
        let realm: String
        let opaque: String?
        /// `nil` for a server that knows only the older RFC 2069.
        let protection: Protection?
        /// The user name, as a parameter of the field.
        let user: String
        /// The digest of user name, realm and password.
        @Secret var passwordDigest: String
        /// The secret of each response: ``passwordDigest``, or for `-sess` a digest of it with the first nonces (RFC 7616 §3.4.2).
        @Secret var secret: String
        /// The client nonce of an algorithm whose name ends with `-sess`, for which it does not change.
        let clientNonce: String?
    }

    let nonce: String
    private let terms: Terms
    private let count = Locked<UInt32>(0)

    private init(nonce: String, terms: Terms) {
        self.nonce = nonce
        self.terms = terms
    }

    /// Creates a session for a challenge.
    ///
    /// - Returns: `nil` if the challenge is not valid, or needs something that is not supported.
    init?(_ challenge: AuthenticationChallenge, user: String, password: String, clientNonce: String = .randomHexadecimal) {
        guard challenge.scheme == "digest", !challenge.hasDuplicates, let realm = challenge["realm"],
            let nonce = challenge["nonce"]
        else { return nil }
        let name = challenge["algorithm"]
        let upper = (name ?? Algorithm.md5.rawValue).uppercased()
        let isSession = upper.hasSuffix("-SESS")
        guard let algorithm = Algorithm(rawValue: isSession ? String(upper.dropLast(5)) : upper) else { return nil }
        var protection: Protection?
        if let offered = challenge["qop"] {
            let names = offered.split { $0 == "," || $0 == " " || $0 == "\t" }.map { $0.lowercased() }
            guard let name = [Protection.request, .requestAndBody].first(where: { names.contains($0.rawValue) }) else {
                return nil
            }
            protection = name
        }
        // Without it there is no client nonce.
        if isSession, protection == nil { return nil }
        let digest = algorithm.hexadecimal(of: "\(user):\(realm):\(password)")
        self.nonce = nonce
        terms = Terms(
            algorithm: algorithm, algorithmName: name,
            strength: ChallengeInterceptor.Strength(
                hash: algorithm == .sha256 ? 2 : 1, protection: protection.map { $0 == .request ? 1 : 2 } ?? 0,
                hidesUser: challenge["userhash"]?.lowercased() == "true"),
            realm: realm, opaque: challenge["opaque"], protection: protection,
            user: Self.userParameter(user, challenge, algorithm), passwordDigest: digest,
            secret: isSession ? algorithm.hexadecimal(of: "\(digest):\(nonce):\(clientNonce)") : digest,
            clientNonce: isSession ? clientNonce : nil)
    }

    /// The user name as it is sent: its digest if the server asks for that, or a quoted string, or percent-encoded (RFC 7616 §3.4).
    private static func userParameter(_ user: String, _ challenge: AuthenticationChallenge, _ algorithm: Algorithm) -> String {
        if challenge["userhash"]?.lowercased() == "true" {
            return "username=\"\(algorithm.hexadecimal(of: "\(user):\(challenge["realm"] ?? "")"))\", userhash=true"
        }
        if challenge["charset"]?.uppercased() == "UTF-8", !user.utf8.allSatisfy({ 0x20..<0x7F ~= $0 }) {
            let encoded = user.utf8.map { byte in
                byte.isTokenByte && !"*'%".utf8.contains(byte)
                    ? String(UnicodeScalar(byte)) : "%" + [byte].hexadecimal.uppercased()
            }
            return "username*=UTF-8''" + encoded.joined()
        }
        return "username=" + quoted(user)
    }

    /// A session with the same terms and the next nonce of the server (RFC 7616 §3.5).
    func next(nonce: String) -> DigestSession { DigestSession(nonce: nonce, terms: terms) }

    var strength: ChallengeInterceptor.Strength { terms.strength }

    /// The preference among several challenges: SHA-256 is better than MD5, and either is better with `qop` than without. Between `auth` and
    /// `auth-int`, the order of the server decides.
    var preference: Int { strength.hash * 2 + min(strength.protection, 1) }

    /// Whether the digest of the body is part of the response.
    var protectsBody: Bool { terms.protection == .requestAndBody }

    /// Whether two sessions count the uses of the same nonce.
    func isSame(as other: DigestSession) -> Bool {
        nonce == other.nonce && terms.passwordDigest == other.terms.passwordDigest
            && terms.algorithmName == other.terms.algorithmName && strength == other.strength
    }

    /// A text that is equal for equal credentials.
    var identity: String { "Digest \(terms.user) \(terms.passwordDigest)" }

    /// Returns the digest of the body for ``authorization(method:target:bodyDigest:clientNonce:)``.
    ///
    /// - Throws: ``TransportError/Code/bodyFailed``, or ``TransportError/Code/bodyNotReplayable``.
    func bodyDigest(of request: NetworkRequest) async throws(TransportError) -> String {
        try await terms.algorithm.hexadecimal(of: request.body, of: request)
    }

    /// Returns the value of `Authorization` for the next request (RFC 7616 §3.4).
    ///
    /// - Parameters:
    ///   - target: The path and the query, as they are sent.
    ///   - bodyDigest: The digest of the body, in hexadecimal; `nil` if the request has no body.
    func authorization(
        method: String, target: String, bodyDigest: String? = nil, clientNonce: String = .randomHexadecimal
    ) -> String {
        let count = count.withLock { count in
            count &+= 1
            return count
        }
        let hash = terms.algorithm.hexadecimal
        var value =
            "Digest \(terms.user), realm=\(Self.quoted(terms.realm)), nonce=\(Self.quoted(nonce)), uri=\(Self.quoted(target))"
        if let name = terms.algorithmName { value += ", algorithm=\(name)" }
        var request = "\(method):\(target)"
        if protectsBody { request += ":" + (bodyDigest ?? hash("")) }
        let response: String
        if let protection = terms.protection {
            let digits = String(count, radix: 16)
            let number = String(repeating: "0", count: 8 - digits.count) + digits
            let clientNonce = terms.clientNonce ?? clientNonce
            response = hash("\(terms.secret):\(nonce):\(number):\(clientNonce):\(protection.rawValue):\(hash(request))")
            value += ", nc=\(number), cnonce=\"\(clientNonce)\", qop=\(protection.rawValue)"
        } else {
            response = hash("\(terms.secret):\(nonce):\(hash(request))")
        }
        value += ", response=\"\(response)\""
        if let opaque = terms.opaque { value += ", opaque=\(Self.quoted(opaque))" }
        return value
    }

    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.unicodeScalars.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}
