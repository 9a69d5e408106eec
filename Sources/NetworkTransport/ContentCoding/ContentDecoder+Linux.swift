#if os(Linux)
    import Endpoints
    import NetworkSupport

    /// The reason why the content of a response cannot be decoded.
    package enum ContentDecodingFailure: Error, Equatable {
        /// The content ends before its coding is complete.
        case truncated
        /// The content is not valid in its coding. The text is the name of the coding and the library's message.
        case damaged(String)
        /// The decoded content is larger than 1 MiB, and more than `limit` times as large as the received content.
        case ratio(limit: Int)
        /// The decoder's memory could not be allocated.
        case outOfMemory

        /// Returns the error of a request whose response cannot be decoded.
        package func transportError(of request: NetworkRequest) -> TransportError {
            let message =
                switch self {
                case .truncated: "the content is truncated: its Content-Encoding is incomplete"
                case .damaged(let reason): "the content is damaged: \(reason)"
                case .ratio(let limit): "the decoded content is over \(limit) times its coded size (maximumDecodingRatio)"
                case .outOfMemory: "not enough memory to decode the content"
                }
            let code: TransportError.Code =
                switch self {
                case .ratio: .bodyTooLarge
                case .outOfMemory: .outOfResources
                default: .undecodableContent
                }
            return TransportError(code, message, phase: .receive, request: request)
        }
    }

    /// Decodes the content codings of one response body, in pieces of bounded size (RFC 9110 §8.4).
    ///
    /// The decoded bytes do not depend on how the body is split into pieces, nor on the size of the output buffer. Memory: the window of each
    /// coding (at most 32 KiB for gzip and deflate, 8 MiB for zstd, 16 MiB for brotli), and 16 KiB between two codings. It is
    /// allocated with the first byte, and freed with the decoder. A decoder must not be used by several threads at the same time.
    ///
    /// ```swift
    /// while !input.isEmpty || decoder.mayHoldOutput {
    ///     let (consumed, produced) = try decoder.decode(input, into: output)
    ///     …
    /// }
    /// ```
    package final class ContentDecoder {
        /// The value for the `Accept-Encoding` of requests: those of `gzip, deflate, br, zstd` that can be decoded; `nil` if there is none.
        package static let acceptEncoding = CodingLibraries.current.acceptEncoding

        /// The number of decoded bytes up to which the ratio is not limited.
        static let unlimitedBytes = 1 << 20

        /// Whether ``decode(_:into:)`` has to be called again, even without input, before more input is received and before ``finish()``:
        /// the output was filled and there may be more, or a failure is still to be thrown.
        package private(set) var mayHoldOutput = false
        /// The decoders in the order of decoding: that of the last applied coding first.
        private let stages: [DecodingStage]
        private let maximumRatio: Int
        /// The index of the first stage that is still called; those before it have failed.
        private var firstStage = 0
        private var failure: ContentDecodingFailure?
        private var codedBytes = 0
        /// All coded bytes before this offset are decoded completely before any byte after it, so that the ratio does not depend on how the
        /// body is split into pieces.
        private var mark = ContentDecoder.mark(after: 0)

        /// Creates a decoder; `nil` when the body is passed on without decoding: no coding, only `identity`, more than three codings, or a
        /// coding that is not offered.
        ///
        /// - Parameter maximumRatio: The maximum ratio of each coding's output to the received bytes. A single `gzip` or `deflate` cannot
        ///   exceed 1032. Received bytes are counted in whole blocks of 1 KiB, and of 16 KiB from 64 KiB on.
        package init?(contentEncoding: String, maximumRatio: Int, libraries: CodingLibraries = .current) {
            guard let codings = ContentCoding.list(contentEncoding), !codings.isEmpty else { return nil }
            var stages: [DecodingStage] = []
            for coding in codings.reversed() {
                guard let layer = libraries.layer(for: coding) else { return nil }
                stages.append(DecodingStage(layer))
            }
            self.stages = stages
            self.maximumRatio = maximumRatio
        }

        /// Decodes a part of the input into the output.
        ///
        /// - Returns: The numbers of consumed and produced bytes. Both are 0 only when all input was consumed and all output for it was
        ///   returned, or when the output buffer is empty.
        /// - Throws: The failure, after the output before it was returned; each further call throws it again.
        package func decode(
            _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
        ) throws(ContentDecodingFailure) -> (consumed: Int, produced: Int) {
            var (consumed, produced) = (0, 0)
            guard !output.isEmpty else { return (0, 0) }
            while produced < output.count, firstStage < stages.count {
                var hasMoved = false
                for index in stages.indices[firstStage...].reversed() {
                    let isLast = index == stages.count - 1
                    let source = index == 0 ? input.part(from: consumed, atMost: mark - codedBytes) : stages[index - 1].held
                    let target = isLast ? output.part(from: produced) : stages[index].room
                    guard let target else {
                        fail(index, .outOfMemory)
                        break
                    }
                    guard let step = stages[index].step(source, into: target, limit: limit) else { continue }
                    if index == 0 {
                        consumed += step.consumed
                        codedBytes += step.consumed
                    } else {
                        stages[index - 1].drop(step.consumed)
                    }
                    if isLast { produced += step.produced } else { stages[index].keep(step.produced) }
                    if step.consumed > 0 || step.produced > 0 { hasMoved = true }
                    if let failure = stages[index].produced > limit ? .ratio(limit: maximumRatio) : step.failure {
                        fail(index, failure)
                        hasMoved = true
                        break
                    }
                }
                if !hasMoved, !advanceMark(input.count - consumed) { break }
            }
            let isFull = produced == output.count
            mayHoldOutput = failure != nil || (isFull && stages.contains(where: \.mayHoldOutput))
            if let failure, produced == 0 { throw failure }
            return (consumed, produced)
        }

        /// Checks that the content is complete. Call it when the whole body was consumed and ``mayHoldOutput`` is false. An empty body is
        /// complete.
        ///
        /// - Throws: ``ContentDecodingFailure/truncated``, or the failure that ``decode(_:into:)`` found.
        package func finish() throws(ContentDecodingFailure) {
            if let failure { throw failure }
            guard stages.allSatisfy(\.isComplete) else {
                fail(stages.count - 1, .truncated)
                throw .truncated
            }
        }

        /// Records the failure of a stage. The later stages still decode the output before it; if one of them fails too, the content ends
        /// there.
        private func fail(_ index: Int, _ failure: ContentDecodingFailure) {
            self.failure = failure
            firstStage = index + 1
        }

        /// Advances the mark after all stages have stopped.
        ///
        /// - Returns: `false` when there are no coded bytes after the mark.
        private func advanceMark(_ left: Int) -> Bool {
            guard firstStage == 0 else {
                firstStage = stages.count
                return false
            }
            guard left > 0 else { return false }
            guard codedBytes == mark else {
                fail(stages.count - 1, .damaged("no progress"))
                return false
            }
            mark = Self.mark(after: mark)
            return true
        }

        private static func mark(after count: Int) -> Int { count + (count < 1 << 16 ? 1 << 10 : 1 << 14) }

        /// The number of bytes that a stage may have produced so far.
        private var limit: Int {
            let (product, isOver) = mark.multipliedReportingOverflow(by: max(0, maximumRatio))
            return isOver ? .max - 1 : min(max(product, Self.unlimitedBytes), .max - 1)
        }
    }

    /// The decoder of one coding, and the output that the next stage has not consumed.
    private final class DecodingStage {
        private static let capacity = 16 << 10

        /// The number of bytes produced so far.
        private(set) var produced = 0
        private let layer: any CodingLayer
        private var buffer: UnsafeMutableRawPointer?
        private var bounds = 0..<0

        init(_ layer: any CodingLayer) {
            self.layer = layer
        }

        deinit {
            free(buffer)
        }

        var isComplete: Bool { layer.isComplete }

        package var mayHoldOutput: Bool { layer.mayHoldOutput || !bounds.isEmpty }

        /// The output that the next stage has not consumed yet.
        var held: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: whole[bounds]))
        }

        /// The buffer for output to the next stage: empty while output is held; `nil` when it cannot be allocated.
        var room: UnsafeMutableRawBufferPointer? {
            if buffer == nil { buffer = malloc(Self.capacity) }
            guard buffer != nil else { return nil }
            return UnsafeMutableRawBufferPointer(rebasing: bounds.isEmpty ? whole[...] : whole[..<0])
        }

        private var whole: UnsafeMutableRawBufferPointer {
            UnsafeMutableRawBufferPointer(start: buffer, count: buffer == nil ? 0 : Self.capacity)
        }

        func keep(_ count: Int) {
            if count > 0 { bounds = 0..<count }
        }

        func drop(_ count: Int) {
            bounds = (bounds.lowerBound + count)..<bounds.upperBound
        }

        /// Decodes input until at most one byte above the limit.
        ///
        /// - Returns: `nil` if there is nothing to decode, or no room for output.
        func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, limit: Int) -> CodingStep? {
            guard !output.isEmpty, !input.isEmpty || layer.mayHoldOutput else { return nil }
            let step = layer.step(input, into: output.part(from: 0, atMost: limit + 1 - produced))
            produced += step.produced
            return step
        }
    }
#endif
