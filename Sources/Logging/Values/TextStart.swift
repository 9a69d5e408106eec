/// The bytes of a text or of its beginning, which know whether they were cut.
///
/// What cuts a text states it, because what looks like harmless text at the place of a cut may be the beginning of a secret.
package struct TextStart: Sendable, Hashable {
    /// How many bytes beyond those that are shown are searched, to find the end of a secret.
    static let lookahead = 4096

    package let bytes: [UInt8]
    /// Whether the text has more bytes than these.
    package let isCut: Bool
    /// The number of bytes of the text, also those that were cut off, as far as it is known.
    package let total: Int

    /// Creates the beginning of a text.
    ///
    /// - Parameters:
    ///   - limit: The maximum number of bytes. Default: all.
    ///   - isCut: Whether the text was cut already. Default: `false`.
    package init(_ text: some Collection<UInt8>, bytes limit: Int = .max, isCut: Bool = false) {
        total = text.count
        bytes = Array(total > limit ? text.prefix(max(0, limit)) : text[...])
        self.isCut = isCut || bytes.count < total
    }
}
