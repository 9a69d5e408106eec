import Endpoints
import Testing

@testable import NetworkTransport

struct ContentCodingTests {
    @Test(
        arguments: [
            ("gzip", [.gzip]), ("deflate", [.deflate]), ("br", [.brotli]), ("zstd", [.zstd]),
            // RFC 9110 §8.4.1: names are case-insensitive; §8.4.1.3: x-gzip is gzip.
            ("GZip", [.gzip]), ("x-gzip", [.gzip]), ("X-GZIP", [.gzip]), ("BR", [.brotli]),
            // §8.4: in the order in which they were applied; §5.6.1: optional white space and empty elements.
            ("gzip, br", [.gzip, .brotli]), ("br\t ,\tgzip", [.brotli, .gzip]), (",gzip,,", [.gzip]),
            ("gzip,gzip,gzip", [.gzip, .gzip, .gzip]),
            // §12.5.3: identity means that there is no coding.
            ("", []), (" ", []), ("identity", []), ("Identity, gzip", [.gzip]),
            ("gzip, identity, br, identity", [.gzip, .brotli]),
        ] as [(String, [ContentCoding])])
    func `a list of content codings is parsed`(value: String, codings: [ContentCoding]) {
        #expect(ContentCoding.list(value) == codings)
    }

    @Test(
        arguments: [
            "compress", "gzip, compress", "x-compress", "aes128gcm", "gzip;q=1", "gzip br", "\"gzip\"", "gzip\u{301}",
            "g\u{0}zip", "*", "dcb",
            "none", "gzip, gzip, gzip, gzip",
        ])
    func `a list that is too long or contains an unknown coding is rejected`(value: String) {
        #expect(ContentCoding.list(value) == nil)
    }

    @Test(
        arguments: [
            (nil, "gzip", true), ("identity", "gzip", true), ("identity", "gzip, br", true), ("br", "gzip", true),
            ("gzip;q=0, identity", "gzip", true), ("gzip;q=0.0", "x-gzip", true), ("", "br", true),
            // A coding that the request itself accepts is left to the caller to decode.
            ("gzip", "gzip", false), ("GZIP;q=0.5", "x-gzip", false), ("x-gzip", "gzip", false), ("*", "zstd", false),
            ("deflate, gzip", "gzip, br", false), ("*;q=0", "gzip", true),
        ] as [(String?, String, Bool)])
    func `a body is decoded unless the request itself accepts its coding (RFC 9110 §12.5.3)`(
        accepted: String?, coding: String, isDecoded: Bool
    ) {
        var headers: HeaderFields = [:]
        if let accepted { headers["Accept-Encoding"] = accepted }
        #expect(ContentCoding.areUndone(coding, for: headers) == isDecoded)
        headers["Range"] = "bytes=0-"
        #expect(!ContentCoding.areUndone(coding, for: headers), "a part cannot be decoded")
    }
}

#if os(Linux)
    struct CodingLibrariesTests {
        private static let missing = "libmissing.so.1"

        @Test func `all codings are offered if all libraries are available`() {
            #expect(CodingLibraries().acceptEncoding == "gzip, deflate, br, zstd")
            #expect(ContentDecoder.acceptEncoding == "gzip, deflate, br, zstd")
        }

        @Test(
            arguments: [
                (CodingLibraries(zlib: missing), "br, zstd", ["gzip", "x-gzip", "deflate", "gzip, br"]),
                (CodingLibraries(brotli: missing), "gzip, deflate, zstd", ["br", "gzip, br"]),
                (CodingLibraries(zstd: missing), "gzip, deflate, br", ["zstd", "zstd, gzip"]),
                (CodingLibraries(brotli: missing, zstd: missing), "gzip, deflate", ["br", "zstd"]),
                (CodingLibraries(zlib: missing, brotli: missing, zstd: missing), nil, ["gzip", "deflate", "br", "zstd"]),
                // The library exists, but does not have the functions.
                (
                    CodingLibraries(zlib: "libc.so.6", brotli: "libc.so.6", zstd: "libc.so.6"), nil,
                    ["gzip", "deflate", "br", "zstd"]
                ),
            ] as [(CodingLibraries, String?, [String])])
        func `a coding whose library is missing is neither offered nor decoded`(
            libraries: CodingLibraries, offered: String?, codings: [String]
        ) {
            #expect(libraries.acceptEncoding == offered)
            for coding in codings {
                #expect(ContentDecoder(contentEncoding: coding, maximumRatio: 1100, libraries: libraries) == nil)
            }
        }

        @Test func `a decoder retains its libraries`() throws {
            var libraries: CodingLibraries? = CodingLibraries()
            let decoder = try #require(
                ContentDecoder(contentEncoding: "gzip, br", maximumRatio: 1100, libraries: libraries ?? .current))
            libraries = nil
            var output = [UInt8](repeating: 0, count: 1 << 16)
            let (consumed, produced) = try CodedContent.brotliGzip.withUnsafeBytes { input in
                try output.withUnsafeMutableBytes { try decoder.decode(input, into: $0) }
            }
            #expect(consumed == CodedContent.brotliGzip.count && Array(output[..<produced]) == CodedContent.sample)
            try decoder.finish()
        }

        @Test(arguments: ["", "identity", "compress", "gzip, compress", "gzip, gzip, gzip, gzip"])
        func `a body with no coding or an unsupported one is not decoded`(value: String) {
            #expect(ContentDecoder(contentEncoding: value, maximumRatio: 1100) == nil)
        }
    }
#endif
