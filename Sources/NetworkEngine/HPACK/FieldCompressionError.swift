/// Why a header block cannot be decoded: a connection error (RFC 9113 §4.3, RFC 9204 §6).
struct FieldCompressionError: Error, Equatable {
    /// What is wrong with the block.
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
