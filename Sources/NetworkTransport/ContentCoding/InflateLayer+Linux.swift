#if os(Linux)
    import CCodings

    /// A decoder for `gzip` and `deflate` that uses zlib, which checks headers, lengths and checksums.
    ///
    /// `gzip` may have several members (RFC 1952 §2.2). After a complete member, bytes that do not begin another are ignored, zero padding
    /// included, as by gzip(1) and browsers. `deflate` is the zlib format or, if it does not begin with a zlib header, raw deflate; bytes
    /// after it are ignored.
    final class InflateLayer: CodingLayer {
        enum Format: Equatable {
            case gzip
            case deflate
        }

        private enum Phase {
            /// Too few bytes were received to determine the format.
            case beginning
            case content
            /// A gzip member is complete; another may follow.
            case betweenMembers
            /// The content is complete; bytes after it are ignored.
            case over
        }

        private static let gzipMagic: [UInt8] = [0x1F, 0x8B]

        private(set) var mayHoldOutput = false
        private let format: Format
        private let library: CodingLibrary
        private var stream: UnsafeMutableRawPointer?
        private var phase = Phase.beginning
        /// At most two bytes that were inspected, and that are passed to zlib before all others.
        private var head: [UInt8] = []

        init(_ format: Format, library: CodingLibrary) {
            self.format = format
            self.library = library
        }

        deinit {
            ccodings_zlib_free(library.functions, stream)
        }

        var isComplete: Bool {
            switch phase {
            case .beginning: head.isEmpty
            case .content: false
            case .betweenMembers, .over: true
            }
        }

        func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> CodingStep {
            var step = CodingStep()
            while step.failure == nil {
                switch phase {
                case .beginning:
                    guard step.consumed < input.count else { return step }
                    if format == .deflate {
                        head.append(input[step.consumed])
                        step.consumed += 1
                        if head.count < 2 { continue }
                    }
                    open(&step)
                case .content:
                    guard inflate(input, into: output, &step) else { return step }
                case .betweenMembers:
                    guard step.consumed < input.count else { return step }
                    lookForMember(input[step.consumed], &step)
                    step.consumed += 1
                case .over:
                    step.consumed = input.count
                    return step
                }
            }
            return step
        }

        private func open(_ step: inout CodingStep) {
            let windowBits =
                switch format {
                case .gzip: CInt(CCODINGS_MAX_WBITS) + 16
                case .deflate: Self.beginsZlib(head[0], head[1]) ? CInt(CCODINGS_MAX_WBITS) : -CInt(CCODINGS_MAX_WBITS)
                }
            stream = ccodings_zlib_create(library.functions, windowBits)
            if stream == nil { step.failure = .outOfMemory }
            phase = .content
        }

        /// Returns whether two bytes are a zlib header: method, window and check bits (RFC 1950 §2.2). No encoder begins raw deflate with
        /// these bytes: they would be a stored block with its padding bits set.
        static func beginsZlib(_ first: UInt8, _ second: UInt8) -> Bool {
            first & 0x0F == 8 && first >> 4 <= 7 && (UInt16(first) << 8 | UInt16(second)) % 31 == 0
        }

        /// Decodes input with zlib.
        ///
        /// - Returns: `false` when the output is full, or all input was consumed.
        private func inflate(
            _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, _ step: inout CodingStep
        ) -> Bool {
            let room = output.part(from: step.produced)
            guard !room.isEmpty else { return false }
            let done: ccodings_step
            let offered: Int
            if head.isEmpty {
                let rest = input.part(from: step.consumed)
                guard !rest.isEmpty || mayHoldOutput else { return false }
                offered = rest.count
                done = ccodings_zlib_decode(library.functions, stream, rest.baseAddress, rest.count, room.baseAddress, room.count)
                step.add(done)
            } else {
                offered = head.count
                done = head.withUnsafeBytes {
                    ccodings_zlib_decode(library.functions, stream, $0.baseAddress, $0.count, room.baseAddress, room.count)
                }
                head.removeFirst(done.consumed)
                step.produced += done.produced
            }
            mayHoldOutput = false
            switch Int(done.result) {
            case CCODINGS_Z_STREAM_END:
                phase = format == .gzip ? .betweenMembers : .over
                head = []
            case CCODINGS_Z_OK, CCODINGS_Z_BUF_ERROR:
                mayHoldOutput = done.produced == room.count
                if done.consumed == 0, done.produced == 0, offered > 0 { step.failure = damage("no progress") }
            case CCODINGS_Z_MEM_ERROR: step.failure = .outOfMemory
            case CCODINGS_Z_NEED_DICT: step.failure = damage("a preset dictionary is needed")
            default: step.failure = damage(ccodings_zlib_message(stream).map { String(cString: $0) } ?? "error \(done.result)")
            }
            return true
        }

        private func lookForMember(_ byte: UInt8, _ step: inout CodingStep) {
            guard byte == Self.gzipMagic[head.count] else {
                phase = .over
                return
            }
            head.append(byte)
            guard head.count == Self.gzipMagic.count else { return }
            phase = .content
            if Int(ccodings_zlib_reset(library.functions, stream)) != CCODINGS_Z_OK {
                step.failure = damage("the decoder cannot be reset")
            }
        }

        private func damage(_ reason: String) -> ContentDecodingFailure { .damaged("\(format): \(reason)") }
    }
#endif
