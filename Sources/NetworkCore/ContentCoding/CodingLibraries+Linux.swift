#if os(Linux)
    import CCodings

    /// The libraries that undo content codings: those that are found on this machine, at run time.
    ///
    /// Where a library is missing, or is too old, its codings are not offered. Nothing changes after `init`, so any thread may use it.
    final class CodingLibraries: @unchecked Sendable {
        /// Looked up once in the life of the process, and kept.
        static let current = CodingLibraries()

        /// `gzip` and `deflate`.
        let zlib: OpaquePointer?
        let brotli: OpaquePointer?
        let zstd: OpaquePointer?

        /// Loads the libraries of these names. A test passes the name of one that does not exist.
        init(zlib: String = "libz.so.1", brotli: String = "libbrotlidec.so.1", zstd: String = "libzstd.so.1") {
            self.zlib = ccodings_zlib_open(zlib)
            self.brotli = ccodings_brotli_open(brotli)
            self.zstd = ccodings_zstd_open(zstd)
        }

        deinit {
            ccodings_zlib_close(zlib)
            ccodings_brotli_close(brotli)
            ccodings_zstd_close(zstd)
        }

        /// A value for `Accept-Encoding`: all that can be undone here, such as `gzip, deflate, br, zstd`; `nil` for nothing.
        var acceptEncoding: String? {
            let names = ContentCoding.allCases.filter(offers).map(\.rawValue)
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }

        /// Whether the coding can be undone here.
        func offers(_ coding: ContentCoding) -> Bool {
            switch coding {
            case .gzip, .deflate: zlib != nil
            case .brotli: brotli != nil
            case .zstd: zstd != nil
            }
        }

        /// A decoder of the coding; `nil` where its library is missing.
        func layer(for coding: ContentCoding) -> (any CodingLayer)? {
            switch coding {
            case .gzip: zlib.map { InflateLayer(.gzip, library: $0) }
            case .deflate: zlib.map { InflateLayer(.deflate, library: $0) }
            case .brotli: brotli.map { BrotliLayer(library: $0) }
            case .zstd: zstd.map { ZstdLayer(library: $0) }
            }
        }
    }
#endif
