/// Why a header block cannot be decoded: a connection error of type COMPRESSION_ERROR (RFC 9113 §4.3).
struct HPACKError: Error, Equatable {
    /// What is wrong with the block.
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
