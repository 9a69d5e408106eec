/// Why a response of a name server is of no use.
struct DNSError: Error, Equatable, Sendable {
    /// What is wrong, as part of an error message.
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
