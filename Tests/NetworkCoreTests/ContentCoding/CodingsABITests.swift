#if os(Linux)
    import Foundation
    import Testing
    import TransferTestSupport

    /// Compiles this package's declarations of zlib, brotli and zstd together with the real headers.
    @Suite(
        .needs("a C compiler and the development packages of zlib, brotli and zstd", HeaderCompiler.forCodings != nil)
    )
    struct CodingsABITests {
        private let source: CodingsSource

        init() throws {
            source = try CodingsSource()
        }

        @Test func `every constant has the same value as in its library`() throws {
            #expect(source.constants.count == 20)
            let assertions = source.constants.map { ours in
                "_Static_assert((long)\(ours) == (long)\(ours.dropFirst("CCODINGS_".count)), \"\(ours)\");"
            }
            #expect(try HeaderCompiler.forCodings?.errors(in: source.program(assertions)) == "")
        }

        @Test(
            arguments: [
                (
                    "struct zlib_stream", "z_stream",
                    [
                        "next_in", "avail_in", "total_in", "next_out", "avail_out", "total_out", "msg", "state", "zalloc",
                        "zfree", "opaque",
                        "data_type", "adler", "reserved",
                    ]
                ), ("struct zstd_input", "ZSTD_inBuffer", ["src", "size", "pos"]),
                ("struct zstd_output", "ZSTD_outBuffer", ["dst", "size", "pos"]),
            ])
        func `the structs have the same layout as in their library`(ours: String, theirs: String, fields: [String]) throws {
            let assertions = fields.flatMap { field in
                [
                    "_Static_assert(offsetof(\(ours), \(field)) == offsetof(\(theirs), \(field)), \"\(field)\");",
                    "_Static_assert(sizeof(((\(ours) *)0)->\(field)) == sizeof(((\(theirs) *)0)->\(field)), \"size of \(field)\");",
                ]
            }
            let size = "_Static_assert(sizeof(\(ours)) == sizeof(\(theirs)), \"\(ours)\");"
            #expect(try HeaderCompiler.forCodings?.errors(in: source.program(assertions + [size])) == "")
        }

        @Test func `every function has the same type as in its library`() throws {
            #expect(source.functions.count == 19)
            let assignments = source.functions.map { "static \($0)_function check_\($0) = \($0);" }
            #expect(try HeaderCompiler.forCodings?.errors(in: source.program(assignments)) == "")
        }

        @Test func `a wrong constant, a wrong offset and a wrong type are detected`() throws {
            for (line, words) in [
                ("_Static_assert(CCODINGS_Z_MEM_ERROR == Z_DATA_ERROR, \"another number\");", "another number"),
                (
                    "_Static_assert(offsetof(struct zlib_stream, msg) == offsetof(z_stream, state), \"another offset\");",
                    "another offset"
                ),
                ("static inflateEnd_function check = inflate;", "incompatible"),
            ] {
                #expect(try HeaderCompiler.forCodings?.errors(in: source.program([line])).contains(words) == true)
            }
        }
    }

    /// The declarations of `Sources/CCodings`, read from its source code so that none is omitted.
    private struct CodingsSource {
        let constants: [String]
        /// The names of the functions that are looked up at run time.
        let functions: [String]
        private let structs: String
        private let types: String
        private let header: URL

        init() throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            header = root.appendingPathComponent("Sources/CCodings/include/CCodings.h")
            let declared = try String(contentsOf: header, encoding: .utf8)
            constants = declared.matches(of: /\b(CCODINGS_[A-Za-z0-9_]+)\s*=/).map { String($0.1) }
            let implementation = try String(
                contentsOf: root.appendingPathComponent("Sources/CCodings/CCodings.c"), encoding: .utf8)
            structs = implementation.matches(of: /(?ms)^struct z\w+ \{.*?^\};/).map { String($0.0) }.joined(separator: "\n")
            types = implementation.matches(of: /(?ms)^typedef [^;]*_function\)[^;]*;/).map { String($0.0) }.joined(
                separator: "\n")
            functions = implementation.matches(of: /find\(library, "(\w+)"/).map { String($0.1) }
        }

        /// Returns a C program with these lines. In the types of functions, the structs of this package have the names that the
        /// library uses.
        func program(_ lines: [String]) -> String {
            """
            #define ZLIB_CONST
            #define ZSTD_STATIC_LINKING_ONLY
            #include <stddef.h>
            #include <stdint.h>
            #include <zlib.h>
            #include <brotli/decode.h>
            #include <zstd.h>
            #include <zstd_errors.h>
            #include "\(header.path)"
            \(structs)
            #define zlib_stream z_stream_s
            #define zstd_input ZSTD_inBuffer_s
            #define zstd_output ZSTD_outBuffer_s
            #define zstd_stream ZSTD_DCtx_s
            #define brotli_state BrotliDecoderStateStruct
            \(types)
            #undef zlib_stream
            #undef zstd_input
            #undef zstd_output
            \(lines.joined(separator: "\n"))
            """
        }
    }

    private struct HeaderCompiler: Sendable {
        let path: String

        /// The first compiler in `PATH` that finds the headers of zlib, brotli and zstd.
        static let forCodings: HeaderCompiler? = {
            let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
            let candidates = ["cc", "gcc", "clang"].flatMap { name in folders.map { "\($0)/\(name)" } }
            let program = "#include <zlib.h>\n#include <brotli/decode.h>\n#include <zstd.h>\n"
            return candidates.lazy.filter(FileManager.default.isExecutableFile).map(HeaderCompiler.init)
                .first { (try? $0.errors(in: program)) == "" }
        }()

        /// Returns the diagnostics of the compiler; empty if the program compiles.
        func errors(in program: String) throws -> String {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).c")
            try program.write(to: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(at: file) }
            let words =
                ShellCommand.quoted(path) + " -std=c11 -Werror=incompatible-pointer-types -fsyntax-only "
                + ShellCommand.quoted(file.path)
            let (text, status) = try ShellCommand.run("\(words) 2>&1 > /dev/null < /dev/null")
            let diagnostics = String(decoding: text, as: UTF8.self)
            return status == 0 ? "" : diagnostics.isEmpty ? "status \(status)" : diagnostics
        }
    }
#endif
