import Endpoints

extension TransportError {
    /// Creates the error for what code of the application has thrown, such as a closure: its text becomes part of the message, and it is ``underlying``.
    ///
    /// - Parameter what: What failed: `the credentials cannot be obtained`.
    package init(_ code: Code, _ what: String, causedBy error: any Error, request: NetworkRequest? = nil) {
        // The description shows such a cause itself.
        let isShown = code == .authenticationFailed && error is any RedactedError
        self.init(code, isShown ? what : "\(what): \(ErrorText(error))", request: request, underlying: error)
    }
}
