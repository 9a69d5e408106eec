import Foundation
import NetworkSupport

/// The fields that were added by the header blocks of a connection, newest first (RFC 7541 §2.3.2).
///
/// The bytes of all entries are in one buffer of twice the maximum size, so that adding an entry allocates nothing.
struct HPACKDynamicTable: Sendable {
    private struct Entry: Sendable {
        /// Where the name begins. The value follows.
        var start: Int
        var nameCount: Int
        var valueCount: Int

        var size: Int { nameCount + valueCount + HPACKDynamicTable.overhead }
    }

    /// What is added to the sizes of name and value (RFC 7541 §4.1).
    static let overhead = 32

    /// The maximum of the sum of the sizes of the entries.
    private(set) var maximumSize: Int
    /// The sum of the sizes of the entries.
    private(set) var size = 0
    /// The number of entries.
    private(set) var count = 0
    private var bytes: [UInt8] = []
    private var used = 0
    /// The entries in a ring, whose capacity is a power of two.
    private var ring: [Entry] = []
    private var newest = 0

    /// Creates an empty table.
    ///
    /// - Parameter maximumSize: What ``resize(to:)`` must not exceed.
    init(maximumSize: Int) {
        self.maximumSize = maximumSize
        capacity = maximumSize
    }

    private let capacity: Int

    private func entry(_ index: Int) -> Entry { ring[(newest &- index) & (ring.count &- 1)] }

    /// Calls a closure with the name and the value of an entry.
    ///
    /// - Parameter index: Below ``count``; 0 is the newest entry.
    @inline(__always)
    func withEntry(_ index: Int, _ body: (_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Void) {
        let entry = entry(index)
        bytes.withUnsafeBytes { bytes in
            let end = entry.start &+ entry.nameCount
            body(
                UnsafeRawBufferPointer(rebasing: bytes[entry.start..<end]),
                UnsafeRawBufferPointer(rebasing: bytes[end..<end &+ entry.valueCount]))
        }
    }

    /// Returns the index of an entry, or of the newest one with its name.
    ///
    /// - Returns: The index, from 0 on, and whether the value is the same; `nil` if no entry has the name.
    func index(of name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> (index: Int, hasValue: Bool)? {
        bytes.withUnsafeBytes { bytes in
            var found: Int?
            for index in 0..<count {
                let entry = entry(index)
                guard entry.nameCount == name.count,
                    UnsafeRawBufferPointer(rebasing: bytes[entry.start..<entry.start + entry.nameCount]).isSame(name)
                else { continue }
                let start = entry.start + entry.nameCount
                if UnsafeRawBufferPointer(rebasing: bytes[start..<start + entry.valueCount]).isSame(value) {
                    return (index, true)
                }
                found = found ?? index
            }
            return found.map { ($0, false) }
        }
    }

    /// Adds an entry, and removes the oldest ones for which there is no room. A field that is larger than the table empties the
    /// table (RFC 7541 §4.4).
    ///
    /// - Parameters:
    ///   - name: Bytes that are not in this table.
    ///   - value: Bytes that are not in this table.
    mutating func insert(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) {
        let added = name.count + value.count
        evict(toFit: maximumSize - added - Self.overhead)
        guard added + Self.overhead <= maximumSize else { return }
        if bytes.isEmpty {
            bytes = [UInt8](repeating: 0, count: 2 * capacity)
            ring = [Entry](repeating: Entry(start: 0, nameCount: 0, valueCount: 0), count: 16)
        }
        if used + added > bytes.count { compact() }
        if count == ring.count { grow() }
        bytes.withUnsafeMutableBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[used...]).copyMemory(from: name)
            UnsafeMutableRawBufferPointer(rebasing: bytes[(used + name.count)...]).copyMemory(from: value)
        }
        newest = (newest + 1) & (ring.count - 1)
        ring[newest] = Entry(start: used, nameCount: name.count, valueCount: value.count)
        used += added
        count += 1
        size += added + Self.overhead
    }

    /// Changes the maximum size, which removes the oldest entries if they no longer fit (RFC 7541 §4.3).
    ///
    /// - Parameter size: At most the size that the table was created with.
    mutating func resize(to size: Int) {
        precondition(size <= capacity)
        maximumSize = size
        evict(toFit: size)
    }

    private mutating func evict(toFit limit: Int) {
        while count > 0, size > max(limit, 0) {
            size -= entry(count - 1).size
            count -= 1
        }
    }

    /// Moves the entries to the beginning of the buffer. They are in the order of their age, without gaps.
    private mutating func compact() {
        guard count > 0 else {
            used = 0
            return
        }
        let start = entry(count - 1).start
        bytes.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            memmove(base, base + start, used - start)
        }
        for index in 0..<count { ring[(newest &- index) & (ring.count - 1)].start -= start }
        used -= start
    }

    private mutating func grow() {
        let entries = (0..<count).reversed().map(entry)
        ring = entries + entries
        newest = count - 1
    }
}
