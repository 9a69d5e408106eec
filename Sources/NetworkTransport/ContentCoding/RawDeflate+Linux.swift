#if os(Linux)
    import CCodings
    import Foundation

    /// Decodes raw deflate (RFC 1951) whose stream consists of messages that end with a synchronization (RFC 7692 §7.2.2), with zlib.
    ///
    /// Not to be used by several threads at the same time.
    package final class RawInflater {
        private let library: CodingLibrary
        private let stream: UnsafeMutableRawPointer
        private var input = Data()
        private var offset = 0
        private var mayHoldOutput = false

        /// Whether zlib was found.
        package static var isAvailable: Bool { CodingLibraries.current.library(of: .deflate) != nil }

        /// Creates a decoder with an empty window; `nil` if zlib is missing, or there is not enough memory.
        package init?() {
            guard let library = CodingLibraries.current.library(of: .deflate),
                let stream = ccodings_zlib_create(library.functions, -CInt(CCODINGS_MAX_WBITS))
            else { return nil }
            self.library = library
            self.stream = stream
        }

        deinit {
            ccodings_zlib_free(library.functions, stream)
        }

        /// Forgets what was decoded before, so that the next message cannot refer to it.
        package func reset() {
            _ = ccodings_zlib_reset(library.functions, stream)
        }

        /// Adds bytes of a message. The bytes before must have been decoded.
        package func append(_ bytes: Data) {
            input = bytes
            offset = 0
        }

        /// Decodes the next bytes.
        ///
        /// - Parameter maximum: The maximum number of bytes that are returned.
        /// - Returns: Empty if all bytes that were added are decoded.
        /// - Throws: A reason if the bytes are not valid.
        package func next(upTo maximum: Int) throws(RawDeflateError) -> Data {
            guard offset < input.count || mayHoldOutput else { return Data() }
            var output = Data(count: maximum)
            while true {
                let (produced, continues) = try decode(into: &output)
                if continues { continue }
                output.removeLast(maximum - produced)
                return output
            }
        }

        /// Decodes the next bytes.
        ///
        /// - Returns: The number of bytes that were decoded, and whether a stream has ended without any, and another one follows.
        private func decode(into output: inout Data) throws(RawDeflateError) -> (produced: Int, continues: Bool) {
            let maximum = output.count
            let step: ccodings_step = input.withUnsafeBytes { input in
                output.withUnsafeMutableBytes { output in
                    ccodings_zlib_decode(
                        library.functions, stream, input.baseAddress.map { $0 + offset }, input.count - offset,
                        output.baseAddress,
                        output.count)
                }
            }
            offset += step.consumed
            switch Int(step.result) {
            // The buffer error says that no progress was possible: there was neither input nor output left.
            case CCODINGS_Z_OK, CCODINGS_Z_BUF_ERROR: mayHoldOutput = step.produced == maximum
            // RFC 7692 §7.2.3.5: a message may have a block with BFINAL. The next one begins a new stream.
            case CCODINGS_Z_STREAM_END:
                mayHoldOutput = false
                if ccodings_zlib_reset(library.functions, stream) != 0 { throw RawDeflateError(reason: "it cannot be continued") }
                if step.produced == 0, offset < input.count { return (0, true) }
            case CCODINGS_Z_MEM_ERROR: throw RawDeflateError(reason: "there is not enough memory")
            default:
                throw RawDeflateError(
                    reason: ccodings_zlib_message(stream).map { String(cString: $0) } ?? "error \(step.result)")
            }
            if step.consumed == 0, step.produced == 0, offset < input.count { throw RawDeflateError(reason: "no progress") }
            return (step.produced, false)
        }
    }

    /// Encodes messages as raw deflate (RFC 1951) that ends with a synchronization (RFC 7692 §7.2.1), with zlib.
    ///
    /// Memory: about 256 KiB. Not to be used by several threads at the same time.
    package final class RawDeflater {
        private let library: CodingLibrary
        private var stream: UnsafeMutableRawPointer
        private let level: Int
        private let windowBits: Int

        /// Creates an encoder; `nil` if zlib is missing, there is not enough memory, or the window is not of 9 to 15 bits.
        package init?(level: Int, windowBits: Int) {
            guard (9...15).contains(windowBits), let library = CodingLibraries.current.library(of: .deflate),
                let stream = ccodings_zlib_create_encoder(library.functions, CInt(level), -CInt(windowBits))
            else { return nil }
            self.library = library
            self.stream = stream
            self.level = level
            self.windowBits = windowBits
        }

        deinit {
            ccodings_zlib_free_encoder(library.functions, stream)
        }

        /// Forgets what was encoded before, so that the next message does not refer to it.
        package func reset() {
            guard let new = ccodings_zlib_create_encoder(library.functions, CInt(level), -CInt(windowBits)) else { return }
            ccodings_zlib_free_encoder(library.functions, stream)
            stream = new
        }

        /// Encodes bytes of a message, and all that was kept of those before.
        package func encode(_ bytes: UnsafeRawBufferPointer) throws(RawDeflateError) -> [UInt8] {
            var output: [UInt8] = []
            var offset = 0
            while true {
                let start = output.count
                let room = max(1024, (bytes.count - offset) / 2 + 64)
                output.append(contentsOf: repeatElement(0, count: room))
                let step = output.withUnsafeMutableBytes { output in
                    ccodings_zlib_encode(
                        library.functions, stream, bytes.baseAddress.map { $0 + offset }, bytes.count - offset,
                        output.baseAddress.map { $0 + start }, room, CInt(CCODINGS_Z_SYNC_FLUSH))
                }
                offset += step.consumed
                output.removeLast(room - step.produced)
                // With room left, everything was flushed. The buffer error says that there was nothing to do.
                if step.produced < room {
                    guard [CCODINGS_Z_OK, CCODINGS_Z_BUF_ERROR].contains(Int(step.result)) else {
                        throw RawDeflateError(reason: "error \(step.result)")
                    }
                    return output
                }
            }
        }
    }

    /// Why bytes could not be decoded or encoded.
    package struct RawDeflateError: Error {
        package var reason: String
    }
#endif
