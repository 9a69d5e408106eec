#if os(Linux)
    import COpenSSL
    import Foundation
    @testable import NetworkEngine
    @testable import NetworkTransport
    import Testing
    import TransferTestSupport

    /// Servers that choose what takes a client long: certificates and groups that are examined in one call, without further input.
    @Suite(.timeLimit(.minutes(10)))
    struct HandshakeLimitTests {
        // MARK: Certificates

        private static func der(_ tag: UInt8, _ contents: [UInt8]...) -> [UInt8] {
            let content = Array(contents.joined())
            let length: [UInt8] =
                content.count < 128 ? [UInt8(content.count)] : [0x82, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
            return [tag] + length + content
        }

        private static let ecKey: [UInt8] = [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]
        private static let sm2Key: [UInt8] = [6, 8, 0x2A, 0x81, 0x1C, 0xCF, 0x55, 1, 0x82, 0x2D]
        private static let p256: [UInt8] = [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 3, 1, 7]
        private static let ecdsa = der(0x30, [6, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 4, 3, 2])

        private static func key(_ algorithm: [UInt8]..., bits: [UInt8]) -> [UInt8] {
            der(0x30, der(0x30, Array(algorithm.joined())), der(3, [0] + bits))
        }

        /// The generator of P-256, compressed.
        private static let curveKey = key(
            ecKey, p256, bits: [2] + [UInt8](Data(base64Encoded: "axfR8uEsQkf4vOblY6RA8ncDfYEt6zOg9KE5RdiYwpY=") ?? Data()))

        /// The parameters of y² = x³ + x + 2 over a field in which OpenSSL takes 80 ms for a square root (Tonelli and Shanks): 2^640 divides p - 1.
        private static let slowCurve: (parameters: [UInt8], point: [UInt8]) = {
            let zeros = [UInt8](repeating: 0, count: 79)
            let prime = der(2, [0x1F, 0xFF, 0x11] + zeros + [1])
            let point = [2, 0, 0, 0] + zeros + [1]
            let field = der(0x30, [6, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 1, 1], prime)
            return (der(0x30, der(2, [1]), field, der(0x30, der(4, [1]), der(4, [2])), der(4, point), prime, der(2, [1])), point)
        }()
        private static let slowKey = key(ecKey, slowCurve.parameters, bits: slowCurve.point)

        private static let rsaKey = key(
            [6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1], [5, 0],
            bits: der(0x30, der(2, [0] + [UInt8](repeating: 0xA5, count: 256)), der(2, [1, 0, 1])))

        /// A certificate whose signature is not valid.
        private static func certificate(_ issuer: String, _ subject: String, _ key: [UInt8], isAuthority: Bool = true) -> [UInt8]
        {
            func name(_ text: String) -> [UInt8] {
                der(0x30, der(0x31, der(0x30, [6, 3, 0x55, 4, 3], der(12, Array(text.utf8)))))
            }
            let times = der(0x30, der(23, Array("200101000000Z".utf8)), der(23, Array("491231235959Z".utf8)))
            let constraints = der(0x30, [6, 3, 0x55, 0x1D, 0x13, 1, 1, 0xFF], der(4, der(0x30, [1, 1, 0xFF])))
            let names = der(0x30, [6, 3, 0x55, 0x1D, 0x11], der(4, der(0x30, der(0x82, Array("localhost".utf8)))))
            let content = der(
                0x30, der(0xA0, der(2, [2])), der(2, [1]), ecdsa, name(issuer), times, name(subject), key,
                der(0xA3, der(0x30, isAuthority ? constraints : names)))
            return der(0x30, content, ecdsa, der(3, [0] + der(0x30, der(2, [1]), der(2, [1]))))
        }

        /// The certificate of the server, and a number of authorities between it and the root `ca`.
        private static func chain(_ count: Int) -> [[UInt8]] {
            (0...count).map { index in
                certificate(index == count ? "ca" : "i\(index + 1)", "i\(index)", curveKey, isAuthority: index > 0)
            }
        }

        // MARK: Messages

        private static func sized(_ bytes: [UInt8], _ width: Int) -> [UInt8] {
            (0..<width).reversed().map { UInt8(truncatingIfNeeded: bytes.count >> (8 * $0)) } + bytes
        }

        private static func message(_ type: UInt8, _ content: [UInt8]) -> [UInt8] { [type] + sized(content, 3) }

        private static func certificates(_ list: [[UInt8]], isLatest: Bool = false, context: [UInt8] = []) -> [UInt8] {
            let entries = Array(list.map { sized($0, 3) + (isLatest ? [0, 2, 0, 0] : []) }.joined())
            return message(11, (isLatest ? sized(context, 1) : []) + sized(entries, 3))
        }

        /// TLS 1.2 with a cipher suite, and secure renegotiation.
        private static func hello(_ suite: UInt16) -> [UInt8] {
            message(
                2,
                [3, 3] + [UInt8](repeating: 7, count: 32) + [
                    0, UInt8(suite >> 8), UInt8(suite & 0xFF), 0, 0, 5, 0xFF, 1, 0, 1, 0,
                ])
        }

        /// The parameters of a group of a number of bits, with a signature that is not valid.
        private static func group(_ bits: Int) -> [UInt8] {
            let count = (bits + 7) / 8
            var prime = [UInt8](repeating: 0, count: count)
            prime[0] = 1 << ((bits - 1) % 8)
            prime[count - 1] |= 1
            return message(
                12, sized(prime, 2) + sized([2], 2) + sized([5], 2) + [4, 1] + sized([UInt8](repeating: 0, count: 256), 2))
                + message(14, [])
        }

        // MARK: Tests

        @Test func `a message with certificates is examined whatever its bytes are`() {
            let one = Self.certificate("a", "b", Self.curveKey)
            let slow = Self.certificate("a", "b", Self.slowKey)
            let sm2 = Self.key(Self.sm2Key, Self.slowCurve.parameters, bits: [2])
            // The tag of a sequence, with its number in the next byte.
            let long = Self.key(Self.ecKey, [0x3F, 0x10] + Self.slowCurve.parameters.dropFirst(), bits: [2])
            let many = { [[UInt8]](repeating: one, count: $0) }
            let rows: [(String, Int, [UInt8], Int)] = [
                ("nothing", 0x303, [], COPENSSL_REFUSAL_NONE),
                ("no certificates", 0x303, Self.certificates([]), COPENSSL_REFUSAL_NONE),
                ("32", 0x303, Self.certificates(many(32)), COPENSSL_REFUSAL_NONE),
                ("33", 0x303, Self.certificates(many(33)), COPENSSL_REFUSAL_COUNT),
                ("33, malformed behind", 0x303, Self.certificates(many(33)) + [0xFF, 0xFF, 0xFF, 1], COPENSSL_REFUSAL_COUNT),
                ("32 in 1.3", 0x304, Self.certificates(many(32), isLatest: true, context: [1, 2]), COPENSSL_REFUSAL_NONE),
                ("33 in 1.3", 0x304, Self.certificates(many(33), isLatest: true, context: [1, 2]), COPENSSL_REFUSAL_COUNT),
                ("a curve", 0x303, Self.certificates([slow]), COPENSSL_REFUSAL_CURVE),
                ("a curve in 1.3", 0x304, Self.certificates([one, slow], isLatest: true), COPENSSL_REFUSAL_CURVE),
                ("a curve of SM2", 0x303, Self.certificates([Self.certificate("a", "b", sm2)]), COPENSSL_REFUSAL_CURVE),
                ("a long tag", 0x303, Self.certificates([Self.certificate("a", "b", long)]), COPENSSL_REFUSAL_CURVE),
                ("a curve in a malformed list", 0x303, Self.message(11, [0, 0, 0] + slow), COPENSSL_REFUSAL_CURVE),
                ("a curve without a certificate", 0x303, Self.message(11, Self.slowKey), COPENSSL_REFUSAL_CURVE),
                (
                    "SM2 as the name of a curve", 0x303, Self.message(11, Self.key(Self.ecKey, Self.sm2Key, bits: [2])),
                    COPENSSL_REFUSAL_NONE
                ),
                ("another message", 0x303, Self.message(12, Self.slowKey), COPENSSL_REFUSAL_NONE),
            ]
            for (name, version, bytes, expected) in rows {
                #expect(Int(copenssl_refusal(Int32(version), bytes, bytes.count)) == expected, "\(name)")
                for count in 0..<min(bytes.count, 600) {
                    // A separate copy, whose end a sanitizer knows.
                    let part = Array(bytes.prefix(count))
                    _ = copenssl_refusal(Int32(version), part, part.count)
                }
            }
        }

        @Test(
            .needs("python3 and the openssl command", TLSServers.areAvailable))
        func `a handshake that would take long is refused before it does`() async throws {
            let trust = TrustPolicy(roots: try TLSServers.running().authority)
            let anyone = TrustPolicy(roots: .insecureWithoutVerification)
            let leaf = Self.certificate("a", "localhost", Self.curveKey, isAuthority: false)
            let rsa = Self.certificate("a", "localhost", Self.rsaKey, isAuthority: false)
            let slow = [[UInt8]](repeating: Self.certificate("a", "b", Self.slowKey), count: 180)
            func same(_ count: Int) -> [UInt8] { Self.certificates([[UInt8]](repeating: leaf, count: count)) }
            // The first row takes half a minute without the limit.
            let rows: [(policy: TrustPolicy, suite: UInt16, messages: [UInt8], reason: String, isRefused: Bool)] = [
                (trust, 0xC02B, Self.certificates(slow), "elliptic curve", true),
                (trust, 0xC02B, same(33), "32 certificates", true), (trust, 0xC02B, same(32), "32 certificates", false),
                (trust, 0xC02B, Self.certificates(Self.chain(11)), "chain too long", true),
                (trust, 0xC02B, Self.certificates(Self.chain(10)), "chain too long", false),
                (anyone, 0x9E, Self.certificates([rsa]) + Self.group(4097), "4096 bits", true),
                (anyone, 0x9E, Self.certificates([rsa]) + Self.group(4096), "4096 bits", false),
            ]
            for row in rows {
                var content = (Self.hello(row.suite) + row.messages)[...]
                var bytes: [UInt8] = []
                while !content.isEmpty {
                    bytes += [22, 3, 3] + Self.sized(Array(content.prefix(16000)), 2)
                    content = content.dropFirst(16000)
                }
                // A fatal alert, "handshake failure", for a client that waits for more.
                bytes += [21, 3, 3, 0, 2, 2, 40]
                let server = try RawServer { [bytes] connection in
                    _ = try connection.receive()
                    try connection.send(bytes)
                    while try connection.receive() {}
                }
                let session = SocketSessionManager(configuration: SessionConfiguration { $0.trust = row.policy })
                let url = try #require(URL(string: "https://localhost:\(server.port)/"))
                let error = await #expect(throws: TransportError.self) {
                    try await session.response(for: NetworkRequest(url: url))
                }
                #expect(error?.code == .tlsFailed && error?.message.contains(row.reason) == row.isRefused, "\(error as Any)")
            }
        }
    }
#endif
