#if os(Linux)
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkSupport
    import TransferTestSupport

    /// A TLS connection of a server that writes records with any content: OpenSSL makes the handshake, and what follows is encrypted here
    /// (RFC 8446 §5.2, RFC 5288).
    final class TLSFlood {
        enum Version: Int {
            case tls12 = 0x303
            case tls13 = 0x304
        }

        struct Failed: Error {
            var step: String
        }

        /// OpenSSL of version 3 or 1.1.1.
        nonisolated(unsafe) private static let library: UnsafeMutableRawPointer? =
            dlopen("libssl.so.3", RTLD_NOW) ?? dlopen("libssl.so.1.1", RTLD_NOW)
        static var isAvailable: Bool { library != nil && TLSServers.areAvailable }
        /// The last line of secrets that OpenSSL has reported: the client's random bytes, and the secret. Only one connection makes its
        /// handshake at a time.
        private static let secrets = Locked<(random: [UInt8], secret: [UInt8])>(([], []))

        private static func function<Type>(_ name: String, _: Type.Type) -> Type {
            unsafeBitCast(dlsym(library, name), to: Type.self)
        }
        private typealias Pointer = UnsafeMutableRawPointer
        private typealias Text = UnsafePointer<CChar>
        private typealias Bytes = UnsafePointer<UInt8>

        private let descriptor: Int32
        private let ssl: Pointer
        private let version: Version
        private var secret: [UInt8] = []
        private var key: [UInt8] = []
        private var vector: [UInt8] = []
        private var number: UInt64 = 0

        /// Makes the handshake as the server, and reads the head of a request.
        init(_ descriptor: Int32, _ version: Version, certificates: TLSServers) throws {
            self.descriptor = descriptor
            self.version = version
            let create = Self.function("SSL_CTX_new", (@convention(c) (Pointer?) -> Pointer?).self)
            let method = Self.function("TLS_server_method", (@convention(c) () -> Pointer?).self)
            guard let context = create(method()) else { throw Failed(step: "context") }
            let control = Self.function("SSL_CTX_ctrl", (@convention(c) (Pointer, Int32, Int, Pointer?) -> Int).self)
            // SSL_CTRL_SET_MIN_PROTO_VERSION and SSL_CTRL_SET_MAX_PROTO_VERSION.
            for command in [123, 124] as [Int32] { _ = control(context, command, version.rawValue, nil) }
            let suites = [
                "SSL_CTX_set_ciphersuites": "TLS_AES_128_GCM_SHA256",
                "SSL_CTX_set_cipher_list": "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256",
            ]
            for (name, list) in suites {
                _ = Self.function(name, (@convention(c) (Pointer, Text) -> Int32).self)(context, list)
            }
            let setTickets = Self.function("SSL_CTX_set_num_tickets", (@convention(c) (Pointer, Int) -> Int32).self)
            _ = setTickets(context, 0)
            for (name, file) in [("SSL_CTX_use_certificate_file", "good.pem"), ("SSL_CTX_use_PrivateKey_file", "good.key")] {
                let load = Self.function(name, (@convention(c) (Pointer, Text, Int32) -> Int32).self)
                guard load(context, certificates.file(file).path, 1) == 1 else { throw Failed(step: name) }
            }
            let setLog = Self.function(
                "SSL_CTX_set_keylog_callback", (@convention(c) (Pointer, @convention(c) (Pointer, Text) -> Void) -> Void).self)
            setLog(context) { _, line in
                let words = String(cString: line).split(separator: " ")
                guard words.count == 3, ["SERVER_TRAFFIC_SECRET_0", "CLIENT_RANDOM"].contains(words[0]) else { return }
                TLSFlood.secrets.withLock { $0 = (TLSFlood.bytes(words[1]), TLSFlood.bytes(words[2])) }
            }
            let make = Self.function("SSL_new", (@convention(c) (Pointer) -> Pointer?).self)
            let attach = Self.function("SSL_set_fd", (@convention(c) (Pointer, Int32) -> Int32).self)
            let accept = Self.function("SSL_accept", (@convention(c) (Pointer) -> Int32).self)
            let read = Self.function("SSL_read", (@convention(c) (Pointer, Pointer, Int32) -> Int32).self)
            guard let ssl = make(context), attach(ssl, descriptor) == 1, accept(ssl) == 1 else { throw Failed(step: "handshake") }
            self.ssl = ssl
            let (client, secret) = Self.secrets.withLock(\.self)
            switch version {
            case .tls13: use(secret)
            case .tls12:
                var server = [UInt8](repeating: 0, count: 32)
                _ = Self.function("SSL_get_server_random", (@convention(c) (Pointer, Pointer, Int) -> Int).self)(ssl, &server, 32)
                // RFC 5246 §6.3: the keys of the client and the server, and then the fixed parts of their nonces.
                let keys = Self.expand(secret, Array("key expansion".utf8) + server + client, 40)
                (key, vector) = (Array(keys[16..<32]), Array(keys[36..<40]))
                // The Finished message was the first record with these keys.
                number = 1
            }
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            guard read(ssl, &buffer, Int32(buffer.count)) > 0 else { throw Failed(step: "request") }
        }

        /// Begins another handshake, in which the client has to show a certificate of the authority in this file (RFC 5246 §7.4.1.1).
        ///
        /// - Returns: Whether it has. Afterwards, only OpenSSL has the keys: ``send(_:)``.
        func renegotiate(authority: URL) -> Bool {
            let context = Self.function("SSL_get_SSL_CTX", (@convention(c) (Pointer) -> Pointer).self)(ssl)
            let load = Self.function("SSL_CTX_load_verify_locations", (@convention(c) (Pointer, Text?, Text?) -> Int32).self)
            let begin = Self.function("SSL_renegotiate", (@convention(c) (Pointer) -> Int32).self)
            let handshake = Self.function("SSL_do_handshake", (@convention(c) (Pointer) -> Int32).self)
            let read = Self.function("SSL_read", (@convention(c) (Pointer, Pointer, Int32) -> Int32).self)
            let isPending = Self.function("SSL_renegotiate_pending", (@convention(c) (Pointer) -> Int32).self)
            let result = Self.function("SSL_get_verify_result", (@convention(c) (Pointer) -> Int).self)
            // SSL_VERIFY_PEER and SSL_VERIFY_FAIL_IF_NO_PEER_CERT.
            Self.function("SSL_set_verify", (@convention(c) (Pointer, Int32, Pointer?) -> Void).self)(ssl, 3, nil)
            let identifier = Self.function("SSL_set_session_id_context", (@convention(c) (Pointer, Text, UInt32) -> Int32).self)
            guard load(context, authority.path, nil) == 1, identifier(ssl, "test", 4) == 1, begin(ssl) == 1, handshake(ssl) == 1
            else { return false }
            // OpenSSL reads the client's messages while data is read, of which there is none.
            var timeout = timeval(tv_sec: 0, tv_usec: 100_000)
            setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
            var byte: UInt8 = 0
            for _ in 0..<300 where isPending(ssl) == 1 { _ = read(ssl, &byte, 1) }
            return isPending(ssl) == 0 && result(ssl) == 0
        }

        /// Sends a text with OpenSSL.
        func send(_ text: String) {
            let write = Self.function("SSL_write", (@convention(c) (Pointer, Text, Int32) -> Int32).self)
            _ = write(ssl, text, Int32(text.utf8.count))
        }

        private static func bytes(_ digits: Substring) -> [UInt8] {
            let digits = digits.utf8.map { UInt8(Character(UnicodeScalar($0)).hexDigitValue ?? 0) }
            return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        }

        /// P_SHA256 (RFC 5246 §5).
        private static func expand(_ secret: [UInt8], _ seed: [UInt8], _ count: Int) -> [UInt8] {
            var (output, round) = ([UInt8](), seed)
            while output.count < count {
                round = HMAC<SHA256>.code(of: round, key: secret)
                output += HMAC<SHA256>.code(of: round + seed, key: secret)
            }
            return Array(output.prefix(count))
        }

        /// HKDF-Expand-Label (RFC 8446 §7.1).
        private static func expand(_ secret: [UInt8], _ label: String, _ count: Int) -> [UInt8] {
            let name = Array("tls13 \(label)".utf8)
            let info: [UInt8] = [0, UInt8(count), UInt8(name.count)] + name + [0, 1]
            return Array(HMAC<SHA256>.code(of: info, key: secret).prefix(count))
        }

        /// Encrypts with a traffic secret from now on.
        private func use(_ secret: [UInt8]) {
            self.secret = secret
            key = Self.expand(secret, "key", 16)
            vector = Self.expand(secret, "iv", 12)
            number = 0
        }

        /// Returns the next record, with content of this type: 21 an alert, 22 messages of the handshake, 23 data. After a KeyUpdate, the keys
        /// are the next ones (RFC 8446 §7.2).
        func record(_ content: [UInt8], type: UInt8) throws -> [UInt8] {
            let count = (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64($0))) }
            number += 1
            switch version {
            case .tls13:
                let plain = content + [type]
                let size = plain.count + 16
                let header: [UInt8] = [0x17, 3, 3, UInt8(size >> 8), UInt8(size & 0xFF)]
                let nonce = zip(vector, [0, 0, 0, 0] + count).map { $0 ^ $1 }
                let record = header + (try encrypted(plain, nonce: nonce, header))
                if type == 22, content.first == 24 { use(Self.expand(secret, "traffic upd", 32)) }
                return record
            case .tls12:
                let size = content.count + 24
                let header: [UInt8] = [type, 3, 3]
                let bound = count + header + [UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
                let sealed = try encrypted(content, nonce: vector + count, bound)
                return header + [UInt8(size >> 8), UInt8(size & 0xFF)] + count + sealed
            }
        }

        /// Encrypts with AES-128-GCM.
        ///
        /// - Parameter bound: The associated data.
        private func encrypted(_ plain: [UInt8], nonce: [UInt8], _ bound: [UInt8]) throws -> [UInt8] {
            let make = Self.function("EVP_CIPHER_CTX_new", (@convention(c) () -> Pointer?).self)
            let release = Self.function("EVP_CIPHER_CTX_free", (@convention(c) (Pointer) -> Void).self)
            let cipher = Self.function("EVP_aes_128_gcm", (@convention(c) () -> Pointer?).self)
            let begin = Self.function(
                "EVP_EncryptInit_ex", (@convention(c) (Pointer, Pointer?, Pointer?, Bytes?, Bytes?) -> Int32).self)
            let update = Self.function(
                "EVP_EncryptUpdate",
                (@convention(c) (Pointer, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int32>, Bytes, Int32) -> Int32)
                    .self)
            let control = Self.function("EVP_CIPHER_CTX_ctrl", (@convention(c) (Pointer, Int32, Int32, Pointer?) -> Int32).self)
            let finish = Self.function(
                "EVP_EncryptFinal_ex",
                (@convention(c) (Pointer, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<Int32>) -> Int32).self)
            guard let context = make() else { throw Failed(step: "cipher") }
            defer { release(context) }
            var output = [UInt8](repeating: 0, count: plain.count + 16)
            var tag = [UInt8](repeating: 0, count: 16)
            var count: Int32 = 0
            guard begin(context, cipher(), nil, key, nonce) == 1, update(context, nil, &count, bound, Int32(bound.count)) == 1,
                update(context, &output, &count, plain, Int32(plain.count)) == 1,
                finish(context, &tag, &count) == 1, control(context, 0x10, 16, &tag) == 1
            else { throw Failed(step: "encryption") }
            return output.prefix(plain.count) + tag
        }

        /// The smallest session ticket (RFC 8446 §4.6.1): 19 bytes.
        static let ticket: [UInt8] = [4, 0, 0, 15, 0, 0, 14, 16, 0, 0, 0, 1, 1, 7, 0, 1, 42, 0, 0]
        /// KeyUpdate (RFC 8446 §4.6.3), without and with a request for one.
        static let keyUpdate: [UInt8] = [24, 0, 0, 1, 0]
        static let keyUpdateRequest: [UInt8] = [24, 0, 0, 1, 1]
        /// HelloRequest (RFC 5246 §7.4.1.1).
        static let helloRequest: [UInt8] = [0, 0, 0, 0]
    }
#endif
