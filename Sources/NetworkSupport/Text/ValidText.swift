extension String {
    /// Creates a text from its UTF-8 code units; `nil` if they are invalid.
    ///
    /// It is the standard library's `String(validating:as:)`, which is missing before macOS 15 and the other systems of that year.
    package init?(valid bytes: some Sequence<UInt8>) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(unrepaired: Array(bytes))
        }
    }

    /// Creates a text from its UTF-8 code units; `nil` if the standard library had to repair them, which changes invalid ones only.
    package init?(unrepaired bytes: [UInt8]) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }
}
