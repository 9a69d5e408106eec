/// Identifies an open stream: its number, and its place in tables of streams.
struct StreamID<Number: FixedWidthInteger & Sendable>: Hashable, Sendable {
    /// The number of the stream on its connection (RFC 9113 §5.1.1, RFC 9000 §2.1).
    let number: Number
    /// The place, which later streams use again.
    let slot: Int
}

/// The state of a stream that is open in at least one direction.
protocol StreamState: Sendable {
    associatedtype Number: FixedWidthInteger & Sendable

    var id: StreamID<Number> { get }
}

/// The open streams of a connection, by number and by place.
struct StreamTable<Stream: StreamState>: Sendable {
    typealias ID = StreamID<Stream.Number>

    private var streams: [Stream?] = []
    private var free: [Int] = []
    private var slots: [Stream.Number: Int] = [:]

    /// The number of open streams.
    var count: Int { slots.count }

    /// Adds a stream.
    ///
    /// - Parameter make: Returns the state of the stream with this identity.
    mutating func open(_ number: Stream.Number, _ make: (ID) -> Stream) -> ID {
        let slot = free.popLast() ?? streams.count
        if slot == streams.count { streams.append(nil) }
        let id = ID(number: number, slot: slot)
        streams[slot] = make(id)
        slots[number] = slot
        return id
    }

    /// Removes a stream, if it is open.
    mutating func close(_ id: ID) {
        guard slots.removeValue(forKey: id.number) != nil else { return }
        streams[id.slot] = nil
        free.append(id.slot)
    }

    /// Returns the place of an open stream.
    func slot(of number: Stream.Number) -> Int? { slots[number] }

    /// The stream at a place; `nil` if it was closed.
    subscript(slot: Int) -> Stream? {
        _read { yield streams[slot] }
        _modify { yield &streams[slot] }
    }

    /// The stream, if it is open.
    subscript(id: ID) -> Stream? {
        get {
            guard id.slot < streams.count, let stream = streams[id.slot], stream.id == id else { return nil }
            return stream
        }
    }

    /// The open streams whose numbers are at least this one, in their order.
    func from(_ number: Stream.Number) -> [ID] {
        slots.filter { $0.key >= number }.map { ID(number: $0.key, slot: $0.value) }.sorted { $0.number < $1.number }
    }

    /// The places of all open streams.
    var openSlots: Dictionary<Stream.Number, Int>.Values { slots.values }
}
