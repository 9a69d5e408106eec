/// The division of a file into parts, each of which one request loads.
///
/// A part that no request loads is given to the next loader. If there is no such part, the largest remaining one is divided, so that all
/// loaders work until the end, whatever their speed. The value performs no I/O.
struct RangePlan: Sendable {
    /// A part of the file: the bytes before ``position`` have been received.
    struct Part: Sendable, Hashable {
        let id: Int
        let start: Int64
        var position: Int64
        /// The end of the part. It moves down when the part is divided.
        var end: Int64
        /// The position up to which the received bytes have been written to the file.
        var written: Int64
        /// Whether a loader has requested the part.
        var isTaken = false
        /// Whether a loader has a response that contains the part.
        var isLoading = false

        init(_ id: Int, _ range: Range<Int64>) {
            self.id = id
            start = range.lowerBound
            position = start
            written = start
            end = range.upperBound
        }

        var isComplete: Bool { position == end }
    }

    /// The maximum number of parts, which bounds the size of the record.
    static let maximumParts = 256

    /// The length of the file in bytes.
    let total: Int64
    private let minimumBytes: Int64
    /// The ranges that an earlier download has written.
    private let earlier: [Range<Int64>]
    /// All parts, in their order in the file.
    private(set) var parts: [Part] = []
    private var nextID = 0

    /// Divides the missing bytes of a file.
    ///
    /// - Parameters:
    ///   - total: The length of the file.
    ///   - received: The ranges that have been written already, in order and separate.
    ///   - count: The number of loaders, and so of parts.
    ///   - minimumBytes: The minimum size of a part that is created by a division; at least 1.
    init(total: Int64, received: [Range<Int64>] = [], count: Int, minimumBytes: Int64) {
        self.total = total
        self.minimumBytes = minimumBytes
        earlier = received
        let gaps = Self.gaps(in: total, between: received)
        let missing = gaps.reduce(0) { $0 + $1.upperBound - $1.lowerBound }
        for gap in gaps {
            let length = gap.upperBound - gap.lowerBound
            let share = Int64((Double(length) / Double(missing) * Double(count)).rounded())
            let pieces = max(1, min(share, length / minimumBytes))
            for piece in 0..<pieces {
                let start = gap.lowerBound + length / pieces * piece
                let end = piece == pieces - 1 ? gap.upperBound : start + length / pieces
                parts.append(Part(nextID, start..<end))
                nextID += 1
            }
        }
    }

    private static func gaps(in total: Int64, between received: [Range<Int64>]) -> [Range<Int64>] {
        let ends = [0] + received.map(\.upperBound)
        let starts = received.map(\.lowerBound) + [total]
        return zip(ends, starts).compactMap { $0 < $1 ? $0..<$1 : nil }
    }

    var isComplete: Bool { parts.allSatisfy(\.isComplete) }

    /// The number of bytes of the file that have been received, in this download or an earlier one.
    var receivedBytes: Int64 {
        parts.reduce(earlier.reduce(0) { $0 + $1.upperBound - $1.lowerBound }) { $0 + $1.position - $1.start }
    }

    /// The ranges that have been written to the file, in order and separate.
    var written: [Range<Int64>] {
        let ranges = earlier + parts.map { $0.start..<$0.written }
        return ranges.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { joined, range in
            if let last = joined.last, last.upperBound == range.lowerBound {
                joined[joined.count - 1] = last.lowerBound..<range.upperBound
            } else {
                joined.append(range)
            }
        }
    }

    /// Returns the part with an identifier.
    func part(_ id: Int) -> Part { parts[index(id)] }

    /// Returns the next part to load, which from then on belongs to the caller; `nil` if all have been taken and none is worth dividing.
    mutating func take() -> Part? {
        if let free = parts.firstIndex(where: { !$0.isTaken && !$0.isComplete }) {
            parts[free].isTaken = true
            return parts[free]
        }
        guard let largest = parts.indices.max(by: { remaining($0) < remaining($1) }), remaining(largest) / 2 >= minimumBytes,
            parts.count < Self.maximumParts
        else { return nil }
        let middle = parts[largest].position + remaining(largest) / 2
        var half = Part(nextID, middle..<parts[largest].end)
        nextID += 1
        half.isTaken = true
        parts[largest].end = middle
        parts.insert(half, at: largest + 1)
        return half
    }

    /// Records that a response contains a part that was taken.
    ///
    /// - Returns: `false` if another response has reached the part in the meantime, see ``extend(_:upTo:)``.
    mutating func begin(_ id: Int) -> Bool {
        guard let index = parts.firstIndex(where: { $0.id == id }) else { return false }
        parts[index].isLoading = true
        return true
    }

    /// Records that bytes of a part were received.
    ///
    /// - Returns: The number of bytes that belong to the part, from the first one on. The others were received by another loader.
    mutating func receive(_ count: Int, of id: Int) -> Int {
        let index = index(id)
        let accepted = Int(min(Int64(count), remaining(index)))
        parts[index].position += Int64(accepted)
        return accepted
    }

    /// Records the position up to which the bytes of a part have been written to the file.
    mutating func note(written: Int64, of id: Int) {
        parts[index(id)].written = written
    }

    /// Adds the next part to a complete one, unless another response contains it or its beginning has been received.
    ///
    /// - Parameter limit: The end of the response from which the part is loaded.
    /// - Returns: Whether the part has become longer.
    mutating func extend(_ id: Int, upTo limit: Int64) -> Bool {
        let index = index(id)
        guard index + 1 < parts.count, parts[index].isComplete else { return false }
        let next = parts[index + 1]
        guard next.start == parts[index].end, next.position == next.start, !next.isLoading, next.end <= limit else {
            return false
        }
        parts[index].end = next.end
        parts.remove(at: index + 1)
        return true
    }

    /// Returns a part that could not be completed, for another loader. Does nothing if another response has reached the part.
    mutating func release(_ id: Int) {
        guard let index = parts.firstIndex(where: { $0.id == id }) else { return }
        parts[index].isTaken = false
        parts[index].isLoading = false
    }

    private func remaining(_ index: Int) -> Int64 { parts[index].end - parts[index].position }

    private func index(_ id: Int) -> Int {
        guard let index = parts.firstIndex(where: { $0.id == id }) else { preconditionFailure("there is no part \(id)") }
        return index
    }
}
