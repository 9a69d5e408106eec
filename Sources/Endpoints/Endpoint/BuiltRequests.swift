import NetworkSupport

/// The requests that were built last from descriptions, for a configuration that does not change: most programs send requests to few endpoints, which they
/// describe once.
///
/// A description is recognized by its storage, which its copies share until one of them is changed. One with a body is always built again, because
/// a body may be encoded differently, or be read only once.
package final class BuiltRequests: Sendable {
    private struct Entry {
        let description: RequestDescription
        let request: NetworkRequest
    }

    /// The maximum number of requests.
    private static let maximumCount = 4

    private let configuration: APIConfiguration
    /// The identity of the session manager, which requests contain that pass through interceptors; `nil` to leave it out.
    private let identity: String?
    private let entries = Locked<[Entry]>([])

    package init(_ configuration: APIConfiguration, identity: String?) {
        self.configuration = configuration
        self.identity = identity
    }

    /// Builds the request, as ``Requestable/networkRequest(with:)`` does, unless it was built before.
    package func request(for description: RequestDescription) throws(RequestGenerationError) -> NetworkRequest {
        guard !description.hasBody else { return try description.build(with: configuration) }
        let known: NetworkRequest? = entries.withLock { entries in
            for entry in entries where entry.description.isUnchangedCopy(of: description) { return entry.request }
            return nil
        }
        if let known { return known }
        var request = try description.build(with: configuration)
        if let identity { request.identifySession(identity) }
        let entry = Entry(description: description, request: request)
        entries.withLock { entries in
            if entries.count == Self.maximumCount { entries.removeLast() }
            entries.insert(entry, at: 0)
        }
        return request
    }
}
