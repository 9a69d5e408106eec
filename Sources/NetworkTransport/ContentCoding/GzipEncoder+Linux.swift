#if os(Linux)
    import CCodings
    import Foundation

    /// An encoder for `gzip` (RFC 1952) that uses zlib. The same bytes and level have the same result, however they are split into chunks.
    ///
    /// Memory: about 256 KiB for zlib, and one piece of output. An encoder must not be used by several threads at the same time.
    ///
    /// ```swift
    /// var offset = 0
    /// while let piece = try encoder.encode(chunk, from: &offset) { … }
    /// …
    /// while let piece = try encoder.finish() { … }
    /// ```
    final class GzipEncoder {
        /// The size of each piece of output except the last, in bytes.
        static let pieceBytes = 32 << 10

        private let library: CodingLibrary
        private let stream: UnsafeMutableRawPointer
        private var piece: UnsafeMutableRawPointer?
        /// The number of bytes in the piece.
        private var count = 0
        private var isComplete = false

        /// Whether zlib was found.
        static var isAvailable: Bool { CodingLibraries.current.library(of: .gzip) != nil }

        /// Creates an encoder; `nil` if zlib is missing, its memory cannot be allocated, or `level` is not in 1...9.
        init?(level: Int, libraries: CodingLibraries = .current) {
            guard (1...9).contains(level), let library = libraries.library(of: .gzip),
                let stream = ccodings_zlib_create_encoder(library.functions, CInt(level), CInt(CCODINGS_MAX_WBITS) + 16)
            else { return nil }
            self.library = library
            self.stream = stream
        }

        deinit {
            ccodings_zlib_free_encoder(library.functions, stream)
            free(piece)
        }

        /// Encodes the bytes of a chunk from an offset on, which is advanced, until there is a full piece.
        ///
        /// - Returns: The piece; `nil` when all bytes are consumed. zlib keeps what is left of them for the next piece.
        func encode(_ chunk: Data, from offset: inout Int) throws(TransportError) -> Data? {
            while offset < chunk.count {
                let consumed: Result<Int, TransportError> = chunk.withUnsafeBytes { bytes in
                    Result { () throws(TransportError) in try step(bytes.part(from: offset), CCODINGS_Z_NO_FLUSH) }
                }
                offset += try consumed.get()
                if count == Self.pieceBytes { return takePiece() }
            }
            return nil
        }

        /// Encodes the end of the content.
        ///
        /// - Returns: The next piece; `nil` after the last one.
        func finish() throws(TransportError) -> Data? {
            while !isComplete, count < Self.pieceBytes {
                _ = try step(UnsafeRawBufferPointer(start: nil, count: 0), CCODINGS_Z_FINISH)
            }
            return count == 0 ? nil : takePiece()
        }

        /// Calls zlib once, and returns the number of consumed bytes. There is room in the piece.
        private func step(_ input: UnsafeRawBufferPointer, _ flush: Int) throws(TransportError) -> Int {
            if piece == nil { piece = malloc(Self.pieceBytes) }
            guard let piece else { throw .gzipFailed("not enough memory", code: .outOfResources) }
            let done = ccodings_zlib_encode(
                library.functions, stream, input.baseAddress, input.count, piece + count, Self.pieceBytes - count, CInt(flush))
            count += done.produced
            switch Int(done.result) {
            case CCODINGS_Z_STREAM_END: isComplete = true
            case CCODINGS_Z_OK where done.consumed > 0 || done.produced > 0: break
            default: throw .gzipFailed("error \(done.result)")
            }
            return done.consumed
        }

        private func takePiece() -> Data? {
            defer { (piece, count) = (nil, 0) }
            return piece.map { Data(bytesNoCopy: $0, count: count, deallocator: .free) }
        }
    }
#endif
