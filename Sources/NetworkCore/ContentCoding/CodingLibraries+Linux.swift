#if os(Linux)
    import CCodings

    /// The libraries that undo content codings: those that are found on this machine, at run time.
    ///
    /// Where a library is missing, or is too old, its codings are not offered.
    struct CodingLibraries: Sendable {
        /// Looked up once in the life of the process, and kept.
        static let current = CodingLibraries()

        private let zlib: CodingLibrary?
        private let brotli: CodingLibrary?
        private let zstd: CodingLibrary?

        /// Loads the libraries of these names. A test passes the name of one that does not exist.
        init(zlib: String = "libz.so.1", brotli: String = "libbrotlidec.so.1", zstd: String = "libzstd.so.1") {
            self.zlib = CodingLibrary(ccodings_zlib_open(zlib), close: ccodings_zlib_close)
            self.brotli = CodingLibrary(ccodings_brotli_open(brotli), close: ccodings_brotli_close)
            self.zstd = CodingLibrary(ccodings_zstd_open(zstd), close: ccodings_zstd_close)
        }

        /// A value for `Accept-Encoding`: all that can be undone here, such as `gzip, deflate, br, zstd`; `nil` for nothing.
        var acceptEncoding: String? {
            let names = ContentCoding.allCases.filter { library(of: $0) != nil }.map(\.rawValue)
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }

        /// A decoder of the coding; `nil` where its library is missing.
        func layer(for coding: ContentCoding) -> (any CodingLayer)? {
            guard let library = library(of: coding) else { return nil }
            return switch coding {
            case .gzip: InflateLayer(.gzip, library: library)
            case .deflate: InflateLayer(.deflate, library: library)
            case .brotli: BrotliLayer(library: library)
            case .zstd: ZstdLayer(library: library)
            }
        }

        /// `nil` where it is missing.
        func library(of coding: ContentCoding) -> CodingLibrary? {
            switch coding {
            case .gzip, .deflate: zlib
            case .brotli: brotli
            case .zstd: zstd
            }
        }
    }

    /// A loaded library. Its functions do not change, so any thread may use them; each decoder keeps it loaded.
    final class CodingLibrary: @unchecked Sendable {
        /// One of `ccodings_zlib`, `ccodings_brotli` and `ccodings_zstd`.
        let functions: OpaquePointer
        private let close: @Sendable (OpaquePointer?) -> Void

        /// `nil` without functions.
        init?(_ functions: OpaquePointer?, close: @escaping @Sendable (OpaquePointer?) -> Void) {
            guard let functions else { return nil }
            self.functions = functions
            self.close = close
        }

        deinit {
            close(functions)
        }
    }

    /// What one call of a decoder did.
    struct CodingStep {
        var consumed = 0
        var produced = 0
        /// Ends the content behind what was produced. The layer is not called again.
        var failure: ContentDecodingFailure?

        mutating func add(_ step: ccodings_step) {
            consumed += step.consumed
            produced += step.produced
        }
    }

    /// Undoes one coding. Keeps the library's state, which is created with the first byte.
    protocol CodingLayer: AnyObject {
        /// Whether a call without input may produce more: the last one filled its output.
        var mayHoldOutput: Bool { get }

        /// Whether the content may end here: it is complete, or there was none.
        var isComplete: Bool { get }

        /// Consumes all of the input or fills the output, which is not empty, or fails.
        func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep
    }

    extension UnsafeRawBufferPointer {
        /// From an offset, at most the count.
        func part(from offset: Int, atMost count: Int = .max) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: self[offset...].prefix(count))
        }
    }

    extension UnsafeMutableRawBufferPointer {
        /// From an offset, at most the count.
        func part(from offset: Int, atMost count: Int = .max) -> UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(rebasing: self[offset...].prefix(count))
        }
    }
#endif
