import Foundation

/// The bytes of a text followed by the scanner's padding, from which ``TransferJSONDecoder`` decodes without a copy.
///
/// A transport appends received bytes to it. It has value semantics: a copy that is changed is separate, as for an array.
package struct JSONBuffer: Sendable {
    private var storage: Storage

    private final class Storage: @unchecked Sendable {
        // Unchecked: changed only while it is uniquely referenced.
        var start: UnsafeMutablePointer<UInt8>
        var capacity: Int
        var count = 0

        init(capacity: Int) {
            self.capacity = capacity + Bytes.padding
            start = .allocate(capacity: self.capacity)
            start.initialize(repeating: 0, count: Bytes.padding)
        }

        deinit { start.deallocate() }

        func append(_ bytes: UnsafeRawBufferPointer) {
            guard let source = bytes.baseAddress, bytes.count > 0 else { return }
            let needed = count + bytes.count + Bytes.padding
            if needed > capacity {
                capacity = max(needed, 2 * capacity)
                let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: capacity)
                moved.update(from: start, count: count)
                start.deallocate()
                start = moved
            }
            UnsafeMutableRawPointer(start + count).copyMemory(from: source, byteCount: bytes.count)
            count += bytes.count
            (start + count).update(repeating: 0, count: Bytes.padding)
        }
    }

    /// Creates an empty buffer.
    ///
    /// - Parameter minimumCapacity: The number of bytes to allocate, such as a `Content-Length`. Default: 0.
    package init(minimumCapacity: Int = 0) { storage = Storage(capacity: max(minimumCapacity, 0)) }

    /// Creates a buffer with a copy of the bytes.
    package init(_ bytes: some ContiguousBytes) {
        storage = bytes.withUnsafeBytes { bytes in
            let storage = Storage(capacity: bytes.count)
            storage.append(bytes)
            return storage
        }
    }

    /// The number of bytes, without the padding.
    package var count: Int { storage.count }

    /// Appends a copy of the bytes.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if !isKnownUniquelyReferenced(&storage) {
            let copy = Storage(capacity: storage.count + bytes.count)
            copy.append(UnsafeRawBufferPointer(start: storage.start, count: storage.count))
            storage = copy
        }
        storage.append(bytes)
    }

    /// Calls a closure once, at once, with the bytes. They are valid during the call, and 64 zero bytes follow them.
    package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withExtendedLifetime(storage) { try body(UnsafeRawBufferPointer(start: storage.start, count: storage.count)) }
    }

    /// The bytes as `Data`, without a copy.
    package var data: Data {
        let storage = storage
        guard storage.count > 0 else { return Data() }
        return Data(
            bytesNoCopy: storage.start, count: storage.count, deallocator: .custom { _, _ in withExtendedLifetime(storage) {} })
    }
}
