#if os(Linux)
    import Foundation
    import Testing
    import TransferTestSupport

    /// Compiles the declarations of libcurl's ABI in `Sources/CCurl` together with libcurl's own header.
    @Suite(.needs("a C compiler and libcurl's development package", CCompiler.forCurl != nil))
    struct ABITests {
        private let source: ABISource

        init() throws {
            source = try ABISource()
        }

        @Test func `every constant has the same value as in libcurl's header`() throws {
            #expect(source.constants.count > 100)
            let program = source.program(source.constants.map(source.assertion))
            #expect(try CCompiler.forCurl?.errors(in: program) == "")
        }

        @Test func `the structs that CCurl declares have the same layout as in libcurl's header`() throws {
            let program = source.program([
                source.structs,
                "_Static_assert(sizeof(struct message) == sizeof(CURLMsg), \"CURLMsg\");",
                "_Static_assert(offsetof(struct message, kind) == offsetof(CURLMsg, msg), \"msg\");",
                "_Static_assert(offsetof(struct message, easy) == offsetof(CURLMsg, easy_handle), \"easy_handle\");",
                "_Static_assert(offsetof(struct message, data) == offsetof(CURLMsg, data), \"data\");",
                "_Static_assert(offsetof(struct version_head, age) == offsetof(curl_version_info_data, age), \"age\");",
                "_Static_assert(offsetof(struct version_head, version) == offsetof(curl_version_info_data, version), \"version\");",
                """
                _Static_assert(
                    offsetof(struct version_head, version_number) == offsetof(curl_version_info_data, version_num), "version_num");
                """,
                "_Static_assert(offsetof(struct version_head, tls) == offsetof(curl_version_info_data, ssl_version), \"tls\");",
                "_Static_assert(offsetof(struct ccurl_address, family) == offsetof(struct curl_sockaddr, family), \"family\");",
                "_Static_assert(offsetof(struct ccurl_address, kind) == offsetof(struct curl_sockaddr, socktype), \"kind\");",
                """
                _Static_assert(
                    offsetof(struct ccurl_address, transport) == offsetof(struct curl_sockaddr, protocol), "transport");
                """,
                "_Static_assert(sizeof(struct blob) == sizeof(struct curl_blob), \"curl_blob\");",
                "_Static_assert(offsetof(struct blob, bytes) == offsetof(struct curl_blob, data), \"data\");",
                "_Static_assert(offsetof(struct blob, count) == offsetof(struct curl_blob, len), \"len\");",
                "_Static_assert(offsetof(struct blob, flags) == offsetof(struct curl_blob, flags), \"flags\");",
            ])
            #expect(try CCompiler.forCurl?.errors(in: program) == "")
        }

        @Test(
            arguments: [
                ("CURLcode", "int"), ("CURLMcode", "int"), ("CURLoption", "int"), ("CURLMoption", "int"), ("CURLINFO", "int"),
                ("CURLMSG", "int"), ("CURLversion", "int"), ("curl_socket_t", "int"), ("curl_off_t", "int64_t"),
            ])
        func `libcurl's types have the same size as the types that are passed for them`(theirs: String, ours: String) throws {
            let program = source.program(["_Static_assert(sizeof(\(theirs)) == sizeof(\(ours)), \"\(theirs)\");"])
            #expect(try CCompiler.forCurl?.errors(in: program) == "")
        }

        @Test func `a constant with a wrong value is detected`() throws {
            let program = source.program(["_Static_assert((long)CCURLOPT_URL + 1 == (long)CURLOPT_URL, \"off by one\");"])
            #expect(try CCompiler.forCurl?.errors(in: program).contains("off by one") == true)
        }
    }

    /// The declarations of `Sources/CCurl`, extracted from its source text so that the list is always complete.
    private struct ABISource {
        /// The constants that the oldest supported libcurl does not have, with the version that introduced each one.
        private static let introduced = [
            "CCURLOPT_CAINFO_BLOB": "0x074d00", "CCURLOPT_PROXY_CAINFO_BLOB": "0x074d00", "CCURLOPT_QUICK_EXIT": "0x075700",
            "CCURLE_SSL_CLIENTCERT": "0x074d00",
            "CCURLE_UNRECOVERABLE_POLL": "0x075400", "CCURLOPT_PREREQFUNCTION": "0x075000", "CCURLOPT_PREREQDATA": "0x075000",
            "CCURLINFO_CAINFO": "0x075400", "CCURLINFO_CAPATH": "0x075400",
            "CCURLE_TOO_LARGE": "0x080600", "CCURL_HTTP_VERSION_3ONLY": "0x075800",
            "CCURLMOPT_RESOLVE_THREADS_MAX": "0x081400", "CCURLMOPT_QUICK_EXIT": "0x081400",
            "CCURL_PREREQFUNC_OK": "0x075000", "CCURL_PREREQFUNC_ABORT": "0x075000",
        ]

        let constants: [String]
        /// The struct declarations in CCurl.c.
        let structs: String
        private let header: URL

        init() throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            header = root.appendingPathComponent("Sources/CCurl/include/CCurl.h")
            let declared = try String(contentsOf: header, encoding: .utf8)
            constants = declared.matches(of: /\b(CCURL[A-Za-z0-9_]+)\s*=/).map { String($0.1) }
            let implementation = try String(contentsOf: root.appendingPathComponent("Sources/CCurl/CCurl.c"), encoding: .utf8)
            structs = implementation.matches(of: /(?ms)^struct \w+ \{.*?^\};/).map { String($0.0) }.joined(separator: "\n")
        }

        func assertion(_ constant: String) -> String {
            let theirs = String(constant.dropFirst())
            let line = "_Static_assert((long)\(constant) == (long)\(theirs), \"\(theirs)\");"
            guard let version = Self.introduced[constant] else { return line }
            return "#if LIBCURL_VERSION_NUM >= \(version)\n\(line)\n#endif"
        }

        func program(_ lines: [String]) -> String {
            """
            #define CURL_DISABLE_DEPRECATION
            #define CURL_DISABLE_TYPECHECK
            #include <curl/curl.h>
            #include "\(header.path)"
            \(lines.joined(separator: "\n"))
            """
        }
    }

    private struct CCompiler: Sendable {
        let path: String

        /// The first compiler in `PATH` that finds `<curl/curl.h>`.
        static let forCurl: CCompiler? = {
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            let candidates = ["cc", "gcc", "clang"].flatMap { name in folders.map { "\($0)/\(name)" } }
            return candidates.lazy.filter(FileManager.default.isExecutableFile).map(CCompiler.init)
                .first { (try? $0.errors(in: "#include <curl/curl.h>\n")) == "" }
        }()

        /// Returns the compiler's diagnostics, or an empty string if the program compiles.
        func errors(in program: String) throws -> String {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).c")
            try program.write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            let words = ShellCommand.quoted(path) + " -std=c11 -fsyntax-only " + ShellCommand.quoted(file.path)
            let (text, status) = try ShellCommand.run("\(words) 2>&1 > /dev/null < /dev/null")
            let diagnostics = String(decoding: text, as: UTF8.self)
            return status == 0 ? "" : diagnostics.isEmpty ? "status \(status)" : diagnostics
        }
    }
#endif
