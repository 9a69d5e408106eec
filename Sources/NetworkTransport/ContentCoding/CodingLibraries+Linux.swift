#if os(Linux)
    import CCodings

    /// The libraries for decoding content codings, loaded at run time if they are installed.
    ///
    /// The codings of a library that is missing or too old are not offered to servers.
    package struct CodingLibraries: Sendable {
        /// The libraries of this process, loaded with the first use and never unloaded.
        static let current = CodingLibraries()

        private let zlib: CodingLibrary?
        private let brotli: CodingLibrary?
        private let zstd: CodingLibrary?

        /// Loads the libraries with these file names. Tests pass names of files that do not exist.
        init(zlib: String = "libz.so.1", brotli: String = "libbrotlidec.so.1", zstd: String = "libzstd.so.1") {
            self.zlib = CodingLibrary(ccodings_zlib_open(zlib), close: ccodings_zlib_close)
            self.brotli = CodingLibrary(ccodings_brotli_open(brotli), close: ccodings_brotli_close)
            self.zstd = CodingLibrary(ccodings_zstd_open(zstd), close: ccodings_zstd_close)
        }

        /// The value for `Accept-Encoding`: all codings that can be decoded, such as `gzip, deflate, br, zstd`; `nil` if there is none.
        var acceptEncoding: String? {
            let names = ContentCoding.allCases.filter { library(of: $0) != nil }.map(\.rawValue)
            return names.isEmpty ? nil : names.joined(separator: ", ")
        }

        /// Creates a decoder for a coding; `nil` if its library is missing.
        func layer(for coding: ContentCoding) -> (any CodingLayer)? {
            guard let library = library(of: coding) else { return nil }
            return switch coding {
            case .gzip: InflateLayer(.gzip, library: library)
            case .deflate: InflateLayer(.deflate, library: library)
            case .brotli: BrotliLayer(library: library)
            case .zstd: ZstdLayer(library: library)
            }
        }

        /// Returns the library of a coding; `nil` if it is missing.
        func library(of coding: ContentCoding) -> CodingLibrary? {
            switch coding {
            case .gzip, .deflate: zlib
            case .brotli: brotli
            case .zstd: zstd
            }
        }
    }

    /// A loaded library. Each decoder keeps it loaded.
    // Sendable although unchecked: the table of functions does not change after it was loaded.
    final class CodingLibrary: @unchecked Sendable {
        /// The functions: a `ccodings_zlib`, `ccodings_brotli` or `ccodings_zstd`.
        let functions: OpaquePointer
        private let close: @Sendable (OpaquePointer?) -> Void

        /// Creates a library that is closed on release; `nil` if `functions` is `nil`.
        init?(_ functions: OpaquePointer?, close: @escaping @Sendable (OpaquePointer?) -> Void) {
            guard let functions else { return nil }
            self.functions = functions
            self.close = close
        }

        deinit {
            close(functions)
        }
    }

    /// The result of one call of a decoder.
    struct CodingStep {
        /// The number of input bytes that were consumed.
        var consumed = 0
        /// The number of output bytes that were produced.
        var produced = 0
        /// The failure that ends the content after the produced bytes. The layer is not called again.
        var failure: ContentDecodingFailure?

        mutating func add(_ step: ccodings_step) {
            consumed += step.consumed
            produced += step.produced
        }
    }

    /// A decoder for one content coding. The library's state is created with the first byte.
    protocol CodingLayer: AnyObject {
        /// Whether a call without input may produce more output, because the last call filled its output.
        var mayHoldOutput: Bool { get }

        /// Whether the content may end here: it is complete, or no byte was received.
        var isComplete: Bool { get }

        /// Decodes until the input is consumed, the output is full, or the content is invalid. The output must not be empty.
        func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep
    }

    extension UnsafeRawBufferPointer {
        /// Returns the bytes from an offset on, at most `count` of them.
        func part(from offset: Int, atMost count: Int = .max) -> UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(rebasing: self[offset...].prefix(count))
        }
    }

    extension UnsafeMutableRawBufferPointer {
        /// Returns the bytes from an offset on, at most `count` of them.
        func part(from offset: Int, atMost count: Int = .max) -> UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(rebasing: self[offset...].prefix(count))
        }
    }
#endif
