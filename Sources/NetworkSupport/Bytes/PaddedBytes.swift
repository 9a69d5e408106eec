import Foundation

/// Bytes in memory that zeros may follow, so that functions which read eight bytes at a time need not check for the end.
///
/// The JSON decoder reads such bytes in place; it copies bytes without padding first.
package struct PaddedBytes: Sendable, Hashable {
    /// The number of zero bytes that padding adds.
    package static let padding = 64

    /// The bytes, followed by ``padding`` zeros if they have padding.
    private let storage: Data
    /// The number of bytes, without the padding.
    package let count: Int

    /// Creates bytes without padding.
    package init(_ data: Data) {
        storage = data
        count = data.count
    }

    /// Creates bytes of which the last ``padding`` are zeros that do not count.
    init(padded storage: Data, count: Int) {
        self.storage = storage
        self.count = count
    }

    /// Whether ``padding`` zeros follow the bytes.
    package var hasPadding: Bool { storage.count > count }

    /// The bytes, which share the storage.
    package var data: Data { hasPadding ? storage.prefix(count) : storage }

    package static func == (left: PaddedBytes, right: PaddedBytes) -> Bool { left.data == right.data }

    package func hash(into hasher: inout Hasher) { hasher.combine(data) }

    /// Calls a closure once, at once, with the bytes and the padding behind them.
    package func withUnsafeBytes<Result>(_ body: (Slice) throws -> Result) rethrows -> Result {
        try storage.withUnsafeBytes { all in
            try body(Slice(bytes: UnsafeRawBufferPointer(rebasing: all.prefix(count)), isPadded: all.count > count))
        }
    }

    /// A part of bytes in memory, which reaches to their end.
    package struct Slice {
        package var bytes: UnsafeRawBufferPointer
        /// Whether ``padding`` zeros follow the bytes.
        package var isPadded: Bool

        package init(bytes: UnsafeRawBufferPointer, isPadded: Bool = false) {
            self.bytes = bytes
            self.isPadded = isPadded
        }

        /// The bytes without the first ones.
        package func dropFirst(_ count: Int) -> Slice {
            Slice(bytes: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count)), isPadded: isPadded)
        }
    }
}
