import NetworkSupport

// The unidirectional streams of the peer (RFC 9114 §6.2, RFC 9204 §4.2).
extension HTTP3StateMachine {
    mutating func open(peer number: UInt64) throws(HTTP3Failure) -> Event {
        // The lowest bits say which side opens a stream, and whether it has one direction (RFC 9000 §2.1).
        switch number & 3 {
        case 3:
            try countEmptyFrame()
            guard peerStreams.count < HTTP3Limits.peerStreams else {
                throw HTTP3Failure(
                    .excessiveLoad,
                    "the server has opened more than \(HTTP3Limits.peerStreams) streams without saying their types")
            }
            peerStreams.append(HTTP3PeerStream(number))
        case 1:
            throw HTTP3Failure(.streamCreationError, "the server has opened a bidirectional stream (RFC 9114 §6.1)")
        default: break
        }
        return .frame
    }

    /// Reads a unidirectional stream up to the next event.
    mutating func receive(
        _ input: UnsafeRawBufferPointer, _ offset: inout Int, isEnd: Bool, peer index: Int
    ) throws(HTTP3Failure) -> Event {
        while true {
            switch peerStreams[index].content {
            case .type(let carry):
                guard offset < input.count else {
                    // It may end before its type is known (RFC 9114 §6.2).
                    if isEnd { peerStreams.remove(at: index) }
                    return .needsMore
                }
                let bytes = carry + [input[offset]]
                offset += 1
                var end = 0
                guard let kind = bytes.withUnsafeBytes({ QUICInteger.read($0, at: &end) }) else {
                    peerStreams[index].content = .type(bytes)
                    continue
                }
                guard try begin(HTTP3StreamKind(rawValue: kind), index) else {
                    offset = input.count
                    return .frame
                }
            case .control:
                if let event = try receiveControl(input, &offset, index) { return event }
                guard !isEnd else { throw Self.closed(.control, "the server has ended its") }
                return .needsMore
            case .instructions(let instructions):
                if try receive(instructions, input, &offset, index) {
                    try countEmptyFrame()
                    return .frame
                }
                guard !isEnd else {
                    throw Self.closed(instructions.sender == .encoder ? .qpackEncoder : .qpackDecoder, "the server has ended its")
                }
                return .needsMore
            }
        }
    }

    /// Begins to read a stream whose type is known.
    ///
    /// - Returns: `false` if the stream is not read.
    private mutating func begin(_ kind: HTTP3StreamKind, _ index: Int) throws(HTTP3Failure) -> Bool {
        let content: HTTP3PeerStream.ReadingStage
        switch kind {
        case .control: content = .control
        case .qpackEncoder: content = .instructions(QPACKInstructions(from: .encoder))
        case .qpackDecoder: content = .instructions(QPACKInstructions(from: .decoder))
        case .push: throw HTTP3Failure(.idError, "the server has opened a push stream, which was not permitted (RFC 9114 §4.6)")
        default:
            // An extension that is not supported, or a reserved type (RFC 9114 §6.2, §6.2.3).
            let number = peerStreams.remove(at: index).number
            perform(.stopSending(number, .streamCreationError))
            return false
        }
        guard !peerStreams.contains(where: { $0.criticalKind == kind }) else {
            throw HTTP3Failure(
                .streamCreationError, "the server has opened a second \(kind.name) (RFC 9114 §6.2.1, RFC 9204 §4.2)")
        }
        peerStreams[index].content = content
        return true
    }

    /// Reads an instruction of QPACK.
    ///
    /// - Returns: `false` if all input was consumed.
    private mutating func receive(
        _ instructions: QPACKInstructions, _ input: UnsafeRawBufferPointer, _ offset: inout Int, _ index: Int
    ) throws(HTTP3Failure) -> Bool {
        var instructions = instructions
        do throws(FieldCompressionError) {
            let isComplete = try instructions.next(input, at: &offset)
            peerStreams[index].content = .instructions(instructions)
            return isComplete
        } catch {
            let code: HTTP3ErrorCode = instructions.sender == .encoder ? .qpackEncoderStreamError : .qpackDecoderStreamError
            throw HTTP3Failure(code, error.message)
        }
    }
}
