import DataTransfer

/// An error of the client.
enum MoviesError: Error, Equatable {
    /// There is no such movie.
    case notFound
    /// The server refuses the request, and says why.
    case refused(code: Int, message: String)
    /// The response is not what the client expects.
    case unexpectedResponse(String)
    /// There is no response.
    case unavailable(String)
}

/// The body of a refusal.
struct Refusal: Error, Decodable {
    let code: Int
    let message: String
}

extension MoviesError {
    init(_ error: DataTransferError) {
        if error.statusCode == StatusCode.notFound {
            self = .notFound
        } else if let refusal = error.resolved(as: Refusal.self) {
            self = .refused(code: refusal.code, message: refusal.message)
        } else if case .parsing(let failure) = error {
            self = .unexpectedResponse(
                "at \(failure.codingPath): \(failure.reason)")
        } else {
            self = .unavailable("\(error)")
        }
    }
}
