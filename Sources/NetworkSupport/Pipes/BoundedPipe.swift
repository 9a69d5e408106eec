/// A bounded pipe between tasks and threads: what is written on one side is read, in order, on the other one, and the side that is ahead waits.
///
/// Each side is a task, which is suspended, or a thread that must not block, which is called back. There is one reader at a time; several writers may wait for
/// room. The rules are those of ``PipeState``. Tasks are resumed, and callbacks called, while no lock is held.
@usableFromInline
package final class BoundedPipe<Content: PipeContent, End: Sendable, Failure: Error>: Sendable {
    @usableFromInline package typealias State = PipeState<Content, End, Failure>
    @usableFromInline package typealias Waiter = UnsafeContinuation<Bool, Never>

    @usableFromInline struct Sides: Sendable {
        @usableFromInline var state: State
        @usableFromInline var reader: Waiter?
        /// The first writer that waits, and those after it, with their numbers.
        @usableFromInline var writer: (number: Int, waiter: Waiter)?
        @usableFromInline var furtherWriters: [(number: Int, waiter: Waiter)] = []
        @usableFromInline var lastNumber = 0

        @inlinable init(_ state: State) {
            self.state = state
        }

        @inlinable mutating func nextNumber() -> Int {
            lastNumber += 1
            return lastNumber
        }

        @inlinable mutating func add(_ number: Int, _ waiter: Waiter) {
            if writer == nil { writer = (number, waiter) } else { furtherWriters.append((number, waiter)) }
        }

        @inlinable mutating func remove(_ number: Int) -> Waiter? {
            if let writer, writer.number == number {
                self.writer = furtherWriters.isEmpty ? nil : furtherWriters.removeFirst()
                return writer.waiter
            }
            guard let index = furtherWriters.firstIndex(where: { $0.number == number }) else { return nil }
            return furtherWriters.remove(at: index).waiter
        }

        @inlinable mutating func settle() -> Woken {
            var woken = Woken(wakes: state.settle())
            if woken.wakes.isEmpty { return woken }
            if woken.wakes.contains(.readerTask) { swap(&woken.reader, &reader) }
            if woken.wakes.contains(.writerTask) {
                woken.writer = writer?.waiter
                writer = nil
                swap(&woken.furtherWriters, &furtherWriters)
            }
            return woken
        }
    }

    /// What is done after a change, without the lock.
    @usableFromInline struct Woken {
        @usableFromInline var wakes: PipeWakes
        @usableFromInline var reader: Waiter?
        @usableFromInline var writer: Waiter?
        @usableFromInline var furtherWriters: [(number: Int, waiter: Waiter)] = []

        @inlinable init(wakes: PipeWakes) {
            self.wakes = wakes
        }
    }

    @usableFromInline let sides: Locked<Sides>
    @usableFromInline let onContent: (@Sendable () -> Void)?
    @usableFromInline let onRoom: (@Sendable () -> Void)?

    /// Creates a pipe.
    ///
    /// - Parameters:
    ///   - content: What it contains at first.
    ///   - capacity: The weight at which the writer waits.
    ///   - resumption: The weight below which it continues. Default: the capacity.
    ///   - onContent: Called on the thread of the writer when there is something to read, or the end, after a reader has waited with
    ///     ``PipeWaiting/callback``. Default: calls nothing.
    ///   - onRoom: Called on the thread of the reader when there is room, after a writer has waited in that way. Default: calls nothing.
    @inlinable package init(
        _ content: Content, capacity: Int, resumption: Int? = nil, onContent: (@Sendable () -> Void)? = nil,
        onRoom: (@Sendable () -> Void)? = nil
    ) {
        sides = Locked(Sides(State(content, capacity: capacity, resumption: resumption)))
        self.onContent = onContent
        self.onRoom = onRoom
    }

    /// Changes the pipe, and wakes the sides that waited for that.
    ///
    /// - Parameters:
    ///   - wakes: Whether they are woken now; if not, with a later call. Default: `true`.
    ///   - change: Called synchronously while the lock is held.
    @inlinable package func access<Value>(wakes: Bool = true, _ change: (inout State) -> Value) -> Value {
        guard wakes else { return sides.withLock { change(&$0.state) } }
        let (value, woken) = sides.withLock { sides in (change(&sides.state), sides.settle()) }
        if !woken.wakes.isEmpty { perform(woken) }
        return value
    }

    @inlinable func perform(_ woken: Woken) {
        woken.reader?.resume(returning: true)
        woken.writer?.resume(returning: true)
        for writer in woken.furtherWriters { writer.waiter.resume(returning: true) }
        if woken.wakes.contains(.readerCallback) { onContent?() }
        if woken.wakes.contains(.writerCallback) { onRoom?() }
    }

    /// How the pipe has ended; `nil` if it has not.
    @inlinable package var end: Result<End, Failure>? { sides.withLock { $0.state.end } }

    /// Ends the pipe after its content, unless it has ended.
    ///
    /// - Returns: `false` if it had ended before.
    @inlinable @discardableResult package func finish(_ end: Result<End, Failure>) -> Bool { access { $0.finish(end) } }

    /// Drops the content and ends the pipe. Both sides wait no longer.
    ///
    /// - Returns: `false` if it had ended before.
    @inlinable @discardableResult package func cancel(_ failure: Failure) -> Bool { access { $0.cancel(failure) } }

    // MARK: Tasks

    /// Resumes a reader when there is something to read, or the end: with `false` if another reader waits already, otherwise with `true`.
    @inlinable package func awaitContent(_ reader: Waiter) {
        let result: Bool? = sides.withLock { sides in
            if sides.reader != nil { return false }
            guard sides.state.awaitContent(.task) else { return true }
            sides.reader = reader
            return nil
        }
        if let result { reader.resume(returning: result) }
    }

    /// Suspends while the pipe is full and has not ended.
    ///
    /// - Returns: `false` if the task was cancelled meanwhile.
    @inlinable package func room() async -> Bool {
        let number: Int? = sides.withLock { sides in
            sides.state.hasRoom || sides.state.end != nil ? nil : sides.nextNumber()
        }
        guard let number else { return true }
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { writer in
                let result: Bool? = sides.withLock { sides in
                    if Task.isCancelled { return false }
                    guard sides.state.awaitRoom(.task) else { return true }
                    sides.add(number, writer)
                    return nil
                }
                if let result { writer.resume(returning: result) }
            }
        } onCancel: {
            let writer = sides.withLock { $0.remove(number) }
            writer?.resume(returning: false)
        }
    }

    /// Suspends while the pipe is full.
    ///
    /// - Parameter cancellation: The error when the task is cancelled meanwhile.
    /// - Throws: That, or the failure of the pipe.
    @inlinable package func waitForRoom(cancellation: @autoclosure () -> Failure) async throws(Failure) {
        guard await room() else { throw cancellation() }
        if case .failure(let failure) = end { throw failure }
    }
}

extension BoundedPipe where Content: PipeQueue {
    /// Returns what can be read at once, and suspends until there is something; `nil` at the end.
    ///
    /// - Parameter conflict: The error if another reader waits.
    /// - Throws: That, or the failure of the pipe.
    @inlinable package func next(conflict: @autoclosure () -> Failure) async throws(Failure) -> Content.Piece? {
        while true {
            switch access({ $0.take() }) {
            case .piece(let piece): return piece
            case .end(.success): return nil
            case .end(.failure(let failure)): throw failure
            case .wait: break
            }
            guard await withUnsafeContinuation({ awaitContent($0) }) else { throw conflict() }
        }
    }
}
