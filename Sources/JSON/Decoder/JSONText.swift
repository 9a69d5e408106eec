import Foundation

/// The text of a JSON document. A text that has padding is decoded in place; another one is copied first.
package struct JSONText: Sendable, Hashable {
    /// The bytes, followed by ``Bytes/padding`` zeros if the text has padding.
    private let storage: Data
    /// The number of bytes, without the padding.
    package let count: Int

    /// Creates a text without padding.
    package init(_ data: Data) {
        storage = data
        count = data.count
    }

    /// Creates a text with padding.
    ///
    /// - Parameter bytes: The bytes of the text. They are extended in place if they have room for ``paddingCount`` more and are not
    ///   shared, and copied otherwise. Empty afterwards.
    package init(padding bytes: inout Data) {
        count = bytes.count
        bytes.append(Self.zeros)
        storage = bytes
        bytes = Data()
    }

    /// The number of bytes that padding adds to a text.
    package static var paddingCount: Int { Bytes.padding }

    /// Whether the text is decoded in place.
    package var hasPadding: Bool { storage.count > count }

    private static let zeros = Data(count: Bytes.padding)

    /// The bytes of the text, which share the storage.
    package var data: Data { hasPadding ? storage.prefix(count) : storage }

    package static func == (left: JSONText, right: JSONText) -> Bool { left.data == right.data }

    package func hash(into hasher: inout Hasher) { hasher.combine(data) }

    /// Calls a closure once, at once, with the bytes, and with whether ``Bytes/padding`` zeros follow them.
    func withInput<Result>(_ body: (Input) throws -> Result) rethrows -> Result {
        try storage.withUnsafeBytes { all in
            try body(Input(bytes: UnsafeRawBufferPointer(rebasing: all.prefix(count)), isPadded: all.count > count))
        }
    }

    /// The bytes of a text while it is decoded.
    struct Input {
        var bytes: UnsafeRawBufferPointer
        /// Whether ``Bytes/padding`` zeros follow the bytes.
        var isPadded = false

        /// The text without its first bytes.
        func dropFirst(_ count: Int) -> Input {
            Input(bytes: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count)), isPadded: isPadded)
        }
    }
}
