import Endpoints
import NetworkCore

/// Tells of fields of responses that were malformed and ignored: of each once for each origin.
final class MalformedFields: Sendable {
    /// Past it, nothing more is told: the origins are the callers', and there may be millions.
    private static let maximum = 1000

    private let told = Locked<Set<String>>([])

    func note(_ field: String, in request: NetworkRequest) {
        guard let record = request.record else { return }
        let isNew = told.withLock { told in
            told.count < Self.maximum && told.insert("\(field) \(request.origin)").inserted
        }
        if isNew { record.tell(.noted("the response's \(field) is malformed, and was ignored")) }
    }
}
