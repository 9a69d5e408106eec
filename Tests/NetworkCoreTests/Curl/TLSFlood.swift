#if os(Linux)
    import Foundation
    import Glibc
    import NetworkCore
    import TransferTestSupport

    /// A TLS 1.3 connection of a server that writes records with any content: OpenSSL makes the handshake, and what follows is encrypted here
    /// (RFC 8446 §5.2).
    final class TLSFlood {
        struct Failed: Error {
            var step: String
        }

        nonisolated(unsafe) private static let library = dlopen("libssl.so.3", RTLD_NOW)
        static var isAvailable: Bool { library != nil && TLSServers.areAvailable }
        /// The last secret that OpenSSL has reported. Only one connection makes its handshake at a time.
        private static let secret = Locked<[UInt8]>([])

        private static func function<Type>(_ name: String, _: Type.Type) -> Type {
            unsafeBitCast(dlsym(library, name), to: Type.self)
        }
        private typealias Pointer = UnsafeMutableRawPointer
        private typealias Text = UnsafePointer<CChar>
        private typealias Bytes = UnsafePointer<UInt8>

        private let descriptor: Int32
        private let ssl: Pointer
        private let key: [UInt8]
        private let vector: [UInt8]
        private var number: UInt64 = 0

        /// Makes the handshake as the server, and reads the head of a request.
        init(_ descriptor: Int32, certificates: TLSServers) throws {
            self.descriptor = descriptor
            let create = Self.function("SSL_CTX_new", (@convention(c) (Pointer?) -> Pointer?).self)
            let method = Self.function("TLS_server_method", (@convention(c) () -> Pointer?).self)
            guard let context = create(method()) else { throw Failed(step: "context") }
            let control = Self.function("SSL_CTX_ctrl", (@convention(c) (Pointer, Int32, Int, Pointer?) -> Int).self)
            _ = control(context, 123, 0x304, nil)
            let setSuites = Self.function("SSL_CTX_set_ciphersuites", (@convention(c) (Pointer, Text) -> Int32).self)
            _ = setSuites(context, "TLS_AES_128_GCM_SHA256")
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
                guard words.count == 3, words[0] == "SERVER_TRAFFIC_SECRET_0" else { return }
                let digits = Array(words[2].utf8)
                let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { index in
                    UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) ?? 0
                }
                TLSFlood.secret.withLock { $0 = bytes }
            }
            let make = Self.function("SSL_new", (@convention(c) (Pointer) -> Pointer?).self)
            let attach = Self.function("SSL_set_fd", (@convention(c) (Pointer, Int32) -> Int32).self)
            let accept = Self.function("SSL_accept", (@convention(c) (Pointer) -> Int32).self)
            let read = Self.function("SSL_read", (@convention(c) (Pointer, Pointer, Int32) -> Int32).self)
            guard let ssl = make(context), attach(ssl, descriptor) == 1, accept(ssl) == 1 else { throw Failed(step: "handshake") }
            self.ssl = ssl
            let secret = Self.secret.withLock(\.self)
            key = Self.expand(secret, "key", 16)
            vector = Self.expand(secret, "iv", 12)
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            guard read(ssl, &buffer, Int32(buffer.count)) > 0 else { throw Failed(step: "request") }
        }

        /// HKDF-Expand-Label (RFC 8446 §7.1).
        private static func expand(_ secret: [UInt8], _ label: String, _ count: Int) -> [UInt8] {
            let name = Array("tls13 \(label)".utf8)
            let info: [UInt8] = [0, UInt8(count), UInt8(name.count)] + name + [0, 1]
            return Array(HMAC<SHA256>.code(of: info, key: secret).prefix(count))
        }

        /// Returns the next record, with content of this type: 21 an alert, 22 messages of the handshake, 23 data.
        func record(_ content: [UInt8], type: UInt8) throws -> [UInt8] {
            let plain = content + [type]
            let size = plain.count + 16
            let header: [UInt8] = [0x17, 3, 3, UInt8(size >> 8), UInt8(size & 0xFF)]
            var nonce = vector
            for index in 0..<8 { nonce[4 + index] ^= UInt8(truncatingIfNeeded: number >> (56 - 8 * UInt64(index))) }
            number += 1
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
            guard begin(context, cipher(), nil, key, nonce) == 1, update(context, nil, &count, header, 5) == 1,
                update(context, &output, &count, plain, Int32(plain.count)) == 1,
                finish(context, &tag, &count) == 1, control(context, 0x10, 16, &tag) == 1
            else { throw Failed(step: "encryption") }
            return header + output.prefix(plain.count) + tag
        }

        /// The smallest session ticket (RFC 8446 §4.6.1): 19 bytes.
        static let ticket: [UInt8] = [4, 0, 0, 15, 0, 0, 14, 16, 0, 0, 0, 1, 1, 7, 0, 1, 42, 0, 0]
    }
#endif
