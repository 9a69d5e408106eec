import Endpoints
import NetworkCore
import NetworkLogging
import NetworkSupport

/// The requests to which an interceptor added a credential last: most programs send requests to few endpoints, whose calls share everything except
/// what is different for each call (``Endpoints/NetworkRequest/hasSameParts(as:)``).
final class AuthenticatedRequests: Sendable {
    private struct Entry {
        let request: NetworkRequest
        let credential: RefreshingCredentials.Generation
        let authenticated: NetworkRequest
        /// The number of secrets of the process when those of the credential were added. They are evicted after many others.
        let secretCount: Int
    }

    /// The maximum number of requests, as many as a service keeps.
    private static let maximumCount = 4

    private let entries = Locked<[Entry]>([])

    /// Returns the request with the credential, if that is known.
    ///
    /// - Parameter secretCount: The number of secrets of the process.
    func request(
        for request: NetworkRequest, with credential: RefreshingCredentials.Generation,
        secretCount: Int = SecretValues.additionCount
    ) -> NetworkRequest? {
        let known: NetworkRequest? = entries.withLock { entries in
            for index in entries.indices
            where entries[index].credential === credential && entries[index].request.hasSameParts(as: request) {
                return secretCount - entries[index].secretCount < SecretValues.capacity / 2 ? entries[index].authenticated : nil
            }
            return nil
        }
        return known.map(request.replaced(by:))
    }

    /// Keeps a request with its credential, unless something in it belongs to one call only.
    ///
    /// - Parameter authenticated: Will be marked as validated, so that session managers do not check all fields again.
    func keep(
        _ authenticated: inout NetworkRequest, for request: NetworkRequest, with credential: RefreshingCredentials.Generation
    ) {
        guard credential.credential.isConstantField, !request.hasBody, request.progress == nil,
            request.onInformationalResponse == nil,
            (try? authenticated.validateOnce()) != nil
        else { return }
        var (kept, sent) = (request, authenticated)
        (kept.context, sent.context) = (ContextValues(), ContextValues())
        let entry = Entry(
            request: kept, credential: credential, authenticated: sent, secretCount: SecretValues.additionCount)
        entries.withLock { entries in
            entries.removeAll { $0.credential !== credential || $0.request.hasSameParts(as: kept) }
            if entries.count == Self.maximumCount { entries.removeLast() }
            entries.insert(entry, at: 0)
        }
    }
}
