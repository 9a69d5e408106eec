import Endpoints
import Foundation
import NetworkCore

/// What a stream of values and its iterators share: the body, and the parser between two calls.
final class ValueReader<Element: Sendable>: Sendable {
    /// What one call needs, and nobody else touches meanwhile: decoding runs code of the caller's, and no lock is held over that.
    private struct Turn {
        var parser: any StreamParser<Element>
        var chunks: DataTransferStream.Iterator
        var isFinished = false
    }

    private enum State {
        case idle(Turn)
        case reading
        case ended
        case failed(DataTransferError)
    }

    let body: DataTransferStream
    private let method: HTTPMethod
    private let state: Locked<State>

    init(_ body: DataTransferStream, parser: any StreamParser<Element>, method: HTTPMethod) {
        self.body = body
        self.method = method
        state = Locked(.idle(Turn(parser: parser, chunks: body.makeAsyncIterator())))
    }

    /// The next value; `nil` at the end.
    func next() async throws(DataTransferError) -> Element? {
        guard var turn = try take() else { return nil }
        do throws(DataTransferError) {
            let element = try await element(&turn)
            let next = element == nil ? State.ended : .idle(turn)
            state.withLock { $0 = next }
            return element
        } catch {
            state.withLock { $0 = .failed(error) }
            body.stop()
            throw error
        }
    }

    private func take() throws(DataTransferError) -> Turn? {
        try state.withLock { state throws(DataTransferError) in
            switch state {
            case .idle(let turn):
                state = .reading
                return turn
            case .ended: return nil
            case .failed(let error): throw error
            case .reading:
                throw .networkFailure(.transport(TransportError(.other, "two tasks read one stream at the same time")))
            }
        }
    }

    private func element(_ turn: inout Turn) async throws(DataTransferError) -> Element? {
        while true {
            if Task.isCancelled { throw body.report(.cancelled(TransportError(.cancelled, "the task was cancelled"))) }
            do throws(StreamParsingError) {
                if let element = try turn.parser.next() { return element }
            } catch {
                throw body.report(.parsing(ParsingFailure(error, of: body, method: method)))
            }
            if turn.isFinished { return nil }
            if let chunk = try await turn.chunks.next() {
                turn.parser.receive(chunk)
            } else {
                turn.parser.finish()
                turn.isFinished = true
            }
        }
    }
}
