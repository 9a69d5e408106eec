/// Why a trust policy cannot be loaded or enforced, in words that name no secret.
struct TrustFlaw: Error {
    var message: String

    init(_ message: String) {
        self.message = message
    }

    /// - Parameter subject: Which policy, `trust` or `trustByHost["…"]`.
    func transportError(of subject: String) -> TransportError {
        TransportError(.trustUnavailable, "\(subject): \(message)")
    }
}
