/// What a pipe contains, in order.
@usableFromInline package protocol PipeContent: Sendable {
    /// How much of the capacity the elements take; zero only if there are none.
    var weight: Int { get }
    /// Drops all elements.
    mutating func removeAll()
}

/// A content whose elements are read one after another.
@usableFromInline package protocol PipeQueue: PipeContent {
    associatedtype Piece: Sendable
    /// Removes and returns what is read at once; `nil` if there is nothing.
    mutating func take() -> Piece?
}

/// How a side of a pipe waits for the other one.
@usableFromInline package enum PipeWaiting: Sendable {
    case no
    /// A task is suspended.
    case task
    /// A callback is to be called.
    case callback
}

/// The sides that can continue after a change.
@usableFromInline package struct PipeWakes: OptionSet, Sendable {
    @usableFromInline package let rawValue: UInt8

    @inlinable package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    @inlinable package static var readerTask: Self { Self(rawValue: 1) }
    @inlinable static var readerCallback: Self { Self(rawValue: 2) }
    @inlinable static var writerTask: Self { Self(rawValue: 4) }
    @inlinable package static var writerCallback: Self { Self(rawValue: 8) }
}

/// The rules of a bounded pipe: a state machine without locks and tasks, which says which side can continue.
///
/// A write is accepted, whatever its size, while the content weighs less than the capacity. A writer that found no room continues as soon as the weight is below
/// ``resumption``. The end is either that of the writer, which the reader finds after the content, or that of a reader that cancels, which drops the content.
@usableFromInline package struct PipeState<Content: PipeContent, End: Sendable, Failure: Error>: Sendable {
    /// The content. What changes it calls ``settle()`` afterwards.
    @usableFromInline package var content: Content
    @usableFromInline package let capacity: Int
    @usableFromInline package let resumption: Int
    /// How the pipe has ended; nothing is written afterwards.
    @usableFromInline package var end: Result<End, Failure>?
    @usableFromInline package var reader = PipeWaiting.no
    @usableFromInline package var writer = PipeWaiting.no

    /// - Parameter resumption: The weight below which a writer that waits continues. Default: the capacity.
    @inlinable package init(_ content: Content, capacity: Int, resumption: Int? = nil) {
        self.content = content
        self.capacity = capacity
        self.resumption = resumption ?? capacity
    }

    @inlinable package var hasRoom: Bool { content.weight < capacity }
    @inlinable package var isReadable: Bool { content.weight > 0 || end != nil }

    /// Notes that the writer waits, unless there is room, or the pipe has ended.
    @inlinable package mutating func awaitRoom(_ waiting: PipeWaiting) -> Bool {
        if hasRoom || end != nil { return false }
        writer = waiting
        return true
    }

    /// Notes that the reader waits, unless there is something to read, or the pipe has ended.
    @inlinable package mutating func awaitContent(_ waiting: PipeWaiting) -> Bool {
        if isReadable { return false }
        reader = waiting
        return true
    }

    /// Ends the pipe after its content.
    ///
    /// - Returns: `false` if it had ended before.
    @inlinable @discardableResult package mutating func finish(_ end: Result<End, Failure>) -> Bool {
        guard self.end == nil else { return false }
        self.end = end
        return true
    }

    /// Drops the content. A reader that lost some of it does not find the end of the writer.
    ///
    /// - Returns: `false` if the pipe had ended before.
    @inlinable @discardableResult package mutating func cancel(_ failure: Failure) -> Bool {
        let isFirst = end == nil
        if isFirst || content.weight > 0 { end = .failure(failure) }
        content.removeAll()
        return isFirst
    }

    /// Returns whether the reader waits for a callback and can continue. It waits no longer: the caller does what the callback would.
    @inlinable package mutating func takeReaderCall() -> Bool {
        guard reader == .callback, isReadable else { return false }
        reader = .no
        return true
    }

    /// Returns the sides that waited for what has changed. They wait no longer.
    @inlinable package mutating func settle() -> PipeWakes {
        var wakes: PipeWakes = []
        if reader != .no, isReadable {
            wakes.insert(reader == .task ? .readerTask : .readerCallback)
            reader = .no
        }
        if writer != .no, end != nil || content.weight < resumption {
            wakes.insert(writer == .task ? .writerTask : .writerCallback)
            writer = .no
        }
        return wakes
    }
}

/// The result of reading from a pipe.
@usableFromInline package enum PipeReading<Piece: Sendable, End: Sendable, Failure: Error>: Sendable {
    case piece(Piece)
    case end(Result<End, Failure>)
    /// There is nothing to read yet.
    case wait
}

extension PipeState where Content: PipeQueue {
    /// Removes what is read at once.
    @inlinable package mutating func take() -> PipeReading<Content.Piece, End, Failure> {
        if let piece = content.take() { return .piece(piece) }
        if let end { return .end(end) }
        return .wait
    }
}
