#if os(Linux)
    import Glibc

    /// Why the content of a response cannot be decoded.
    enum ContentDecodingFailure: Error, Equatable {
        /// It ends before its coding does.
        case truncated
        /// Its bytes are not those of its coding. In the library's words, behind the name of the coding.
        case damaged(String)
        /// It is more than 1 MiB, and more than this many times what was received.
        case ratio(limit: Int)
        /// The decoder's memory could not be allocated.
        case outOfMemory
    }

    /// Undoes the content codings of one response body, a bounded piece at a time (RFC 9110 §8.4).
    ///
    /// What comes of a body does not depend on how it is cut into pieces, nor on the room for output. Memory: the window of each
    /// coding (at most 32 KiB for gzip and deflate, 8 MiB for zstd, 16 MiB for brotli), and 16 KiB between two codings. It is
    /// allocated with the first byte, and freed with the decoder. Not for several threads at the same time.
    ///
    /// ```swift
    /// while !input.isEmpty || decoder.mayHoldOutput {
    ///     let (consumed, produced) = try decoder.decode(input, into: output)
    ///     …
    /// }
    /// ```
    final class ContentDecoder {
        /// For a request's `Accept-Encoding`: `gzip, deflate, br, zstd`, or what of it can be undone here; `nil` for nothing.
        static let acceptEncoding = CodingLibraries.current.acceptEncoding

        /// Up to here no ratio is too high. In bytes.
        static let unlimitedBytes = 1 << 20

        /// Whether to call ``decode(_:into:)`` again, also without input, before waiting for more of it and before ``finish()``:
        /// the output was filled and there may be more, or it ended with a failure that is still to be thrown.
        private(set) var mayHoldOutput = false
        /// In the order of decoding: the last coding first.
        private let stages: [DecodingStage]
        private let maximumRatio: Int
        /// The stages before this one have failed, and are not called again.
        private var firstStage = 0
        private var failure: ContentDecodingFailure?
        private var codedBytes = 0
        /// All that can be made of the coded bytes before this mark is made before those behind it are looked at, so that the
        /// ratio does not depend on how the body is cut.
        private var mark = ContentDecoder.mark(after: 0)

        /// `nil` when the body is to be passed as it came: no `Content-Encoding`, `identity`, more than three codings, or one
        /// among them that is not offered.
        ///
        /// - Parameter maximumRatio: Of each coding's output to the bytes received. A single `gzip` or `deflate` cannot exceed
        ///   1032. The bytes received are counted in whole blocks of 1 KiB; from 64 KiB on, of 16 KiB.
        init?(contentEncoding: String, maximumRatio: Int, libraries: CodingLibraries = .current) {
            guard let codings = ContentCoding.list(contentEncoding), !codings.isEmpty else { return nil }
            var stages: [DecodingStage] = []
            for coding in codings.reversed() {
                guard let layer = libraries.layer(for: coding) else { return nil }
                stages.append(DecodingStage(layer))
            }
            self.stages = stages
            self.maximumRatio = maximumRatio
        }

        /// Takes some input and makes some output; either may be left over. Returns zeros only when all input was consumed and all
        /// output that can be made of it was returned, or when there is no room for output.
        ///
        /// - Throws: The failure, after the output that precedes it was returned; and the same one from then on.
        func decode(
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

        /// The body has ended. Call it when all of it was consumed and ``mayHoldOutput`` is false. A body without a single byte is
        /// complete.
        ///
        /// - Throws: ``ContentDecodingFailure/truncated``, or the failure that ``decode(_:into:)`` found.
        func finish() throws(ContentDecodingFailure) {
            if let failure { throw failure }
            guard stages.allSatisfy(\.isComplete) else {
                fail(stages.count - 1, .truncated)
                throw .truncated
            }
        }

        /// The output before the failure is still decoded by the stages behind it; if one of them fails too, that is where the
        /// content ends.
        private func fail(_ index: Int, _ failure: ContentDecodingFailure) {
            self.failure = failure
            firstStage = index + 1
        }

        /// Nothing moves any more: the coded bytes behind the mark are next. Returns whether there are any.
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

        /// How much a stage may have produced.
        private var limit: Int {
            let (product, isOver) = mark.multipliedReportingOverflow(by: max(0, maximumRatio))
            return isOver ? .max - 1 : min(max(product, Self.unlimitedBytes), .max - 1)
        }
    }

    /// One coding, and the output that the next one has not taken.
    private final class DecodingStage {
        private static let capacity = 16 << 10

        /// In bytes, all in all.
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

        var mayHoldOutput: Bool { layer.mayHoldOutput || !bounds.isEmpty }

        /// What the next stage is to receive.
        var held: UnsafeRawBufferPointer {
            UnsafeRawBufferPointer(UnsafeMutableRawBufferPointer(rebasing: whole[bounds]))
        }

        /// Where output for the next stage goes: empty while some is held. `nil` without memory.
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

        /// `nil` where there is nothing to do, or no room. Stops one byte above the limit.
        func step(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer, limit: Int) -> CodingStep? {
            guard !output.isEmpty, !input.isEmpty || layer.mayHoldOutput else { return nil }
            let step = layer.step(input, into: output.part(from: 0, atMost: limit + 1 - produced))
            produced += step.produced
            return step
        }
    }
#endif
