#if os(Linux)
    import Foundation
    import Testing
    import TransferTestSupport

    /// Compiles the declarations in `Sources/COpenSSL` together with OpenSSL's headers.
    @Suite(.needs("a C compiler and OpenSSL's development package", CCompiler.forOpenSSL != nil))
    struct OpenSSLDeclarationTests {
        @Test func `every function has the same type, and every constant the same value, as in OpenSSL's headers`() throws {
            #expect(try CCompiler.forOpenSSL?.errors(in: program("")) == "")
        }

        @Test(arguments: [
            ("F(int, SSL_read, (struct ssl_st *ssl, void *bytes, long count))", "SSL_read"),
            ("F(long, SSL_write, (struct ssl_st *ssl, const void *bytes, int count))", "SSL_write"),
            ("C(SSL_ERROR_WANT_READ, 3)", "SSL_ERROR_WANT_READ"),
        ])
        func `a wrong declaration is found`(declaration: String, name: String) throws {
            #expect(try CCompiler.forOpenSSL?.errors(in: program(declaration)).contains(name) == true)
        }

        private func program(_ end: String) -> String {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            return """
                #define OPENSSL_SUPPRESS_DEPRECATED
                #include <openssl/err.h>
                #include <openssl/pem.h>
                #include <openssl/pkcs12.h>
                #include <openssl/ssl.h>
                #include <openssl/x509v3.h>
                #include "\(root.path)/Sources/COpenSSL/OpenSSLFunctions.h"
                #include "\(root.path)/Sources/COpenSSL/include/COpenSSL.h"
                #define F(result, name, parameters) \\
                    _Static_assert(__builtin_types_compatible_p(__typeof__(name), result parameters), #name);
                #define C(name, value) _Static_assert((long)name == (long)value, #name);
                OPENSSL_FUNCTIONS(F)
                OPENSSL_FUNCTIONS_SINCE_3(F)
                OPENSSL_CONSTANTS(C)
                C(SSL_R_HTTPS_PROXY_REQUEST, COPENSSL_REASON_HTTPS_PROXY_REQUEST)
                C(SSL_R_HTTP_REQUEST, COPENSSL_REASON_HTTP_REQUEST)
                C(SSL_R_NO_PROTOCOLS_AVAILABLE, COPENSSL_REASON_NO_PROTOCOLS_AVAILABLE)
                C(SSL_R_PACKET_LENGTH_TOO_LONG, COPENSSL_REASON_PACKET_LENGTH_TOO_LONG)
                C(SSL_R_UNSUPPORTED_PROTOCOL, COPENSSL_REASON_UNSUPPORTED_PROTOCOL)
                C(SSL_R_WRONG_VERSION_NUMBER, COPENSSL_REASON_WRONG_VERSION_NUMBER)
                C(SSL_R_VERSION_TOO_LOW, COPENSSL_REASON_VERSION_TOO_LOW)
                \(end)

                """
        }
    }

    private struct CCompiler: Sendable {
        let path: String

        /// The first compiler in `PATH` that finds OpenSSL's headers, and compares types.
        static let forOpenSSL: CCompiler? = {
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            let candidates = ["cc", "gcc", "clang"].flatMap { name in folders.map { "\($0)/\(name)" } }
            return candidates.lazy.filter(FileManager.default.isExecutableFile).map(CCompiler.init)
                .first { (try? $0.errors(in: "#include <openssl/ssl.h>\n")) == "" }
        }()

        /// Returns the compiler's diagnostics, or an empty string if the program compiles.
        func errors(in program: String) throws -> String {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).c")
            try program.write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            let words = ShellCommand.quoted(path) + " -std=gnu11 -fsyntax-only " + ShellCommand.quoted(file.path)
            let (text, status) = try ShellCommand.run("\(words) 2>&1 > /dev/null < /dev/null")
            let diagnostics = String(decoding: text, as: UTF8.self)
            return status == 0 ? "" : diagnostics.isEmpty ? "status \(status)" : diagnostics
        }
    }
#endif
