import Synchronization
import Tracing

/// The attributes of a span that are known when it ends, and have few values.
///
/// The version of the protocol is left out if it is 1.1. A table of six attributes, which most spans have, takes half the memory of one with seven, and much
/// less time.
struct SpanOutcome: Hashable, Sendable {
    var status: Int?
    /// The code of the error; `nil` if there is a complete response.
    var error: String?
    var protocolName: String?

    /// The value of `error.type`; `nil` if the attempt has succeeded.
    var errorType: String? { error ?? status.flatMap(Convention.errorType(status:)) }
}

/// What the spans of one endpoint have in common.
final class SpanTemplate: Sendable {
    /// The number of outcomes whose attributes are kept.
    private static let maximumOutcomes = 16

    let name: String
    /// Whether the method is not one that HTTP registers, so that each span contains it.
    let isMethodUnknown: Bool
    private let attributes: SpanAttributes
    private let known = Mutex<[(outcome: SpanOutcome, attributes: SpanAttributes)]>([])

    init(_ key: EndpointKey) {
        let method = Convention.known(method: key.method)
        isMethodUnknown = method == Convention.other
        // The conventions say "HTTP" for a method that is not known.
        let shown = isMethodUnknown ? "HTTP" : method
        name = key.name.map { "\(shown) \($0)" } ?? shown
        let place = ServerPlace(origin: key.origin)
        var attributes: [String: SpanAttribute] = [
            Convention.method: .string(method), Convention.serverAddress: .string(place.address),
            // Each span sets it, for which the table must not grow.
            Convention.url: .string(""),
        ]
        if let port = place.port { attributes[Convention.serverPort] = .int64(Int64(port)) }
        if let name = key.name { attributes[Convention.urlTemplate] = .string(name) }
        self.attributes = SpanAttributes(attributes)
    }

    /// Returns the attributes of spans with an outcome, which are made once for the first outcomes. `url.full` is empty.
    func attributes(of outcome: SpanOutcome) -> SpanAttributes {
        known.withLock { known in
            for entry in known where entry.outcome == outcome { return entry.attributes }
            let new = attributes.adding(outcome)
            if known.count < Self.maximumOutcomes { known.append((outcome, new)) }
            return new
        }
    }
}

extension SpanAttributes {
    fileprivate func adding(_ outcome: SpanOutcome) -> SpanAttributes {
        var copy = self
        if let status = outcome.status { copy.set(Convention.status, value: .int64(Int64(status))) }
        if let name = outcome.protocolName, name != "http/1.1" {
            copy.set(Convention.protocolVersion, value: .string(Convention.version(of: name)))
        }
        if let type = outcome.errorType { copy.set(Convention.errorType, value: .string(type)) }
        return copy
    }
}
