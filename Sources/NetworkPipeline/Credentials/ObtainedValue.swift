import Endpoints
import NetworkCore

extension NetworkRequest {
    /// Returns what a closure of the caller obtains for this request, such as credentials.
    ///
    /// - Parameters:
    ///   - what: What the closure obtains, for errors: `the credentials`.
    ///   - code: The code of an error that the closure throws, which becomes the underlying error.
    /// - Throws: A `TransportError` of the closure unchanged; ``NetworkCore/TransportError/Code/cancelled`` for a `CancellationError`.
    package func obtaining<Value>(
        _ what: String, failingWith code: TransportError.Code = .authenticationFailed, _ obtain: () async throws -> Value
    ) async throws(TransportError) -> Value {
        do {
            return try await obtain()
        } catch let error as TransportError {
            throw error
        } catch is CancellationError {
            throw TransportError(.cancelled, "cancelled while \(what) were obtained", request: self)
        } catch {
            throw TransportError(code, "\(what) cannot be obtained", causedBy: error, request: self)
        }
    }

    /// Whether an interceptor adds credentials for these origins to the request: it may have some, and has none yet.
    package func needsCredentials(for origins: [String]) -> Bool {
        origins.contains(origin) && requiresAuthentication && !isAuthenticated
    }
}
