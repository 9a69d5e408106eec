import Foundation

/// A stored response together with what its fields say, read once: what stores hand out.
///
/// A store that keeps bytes makes one of each response it reads.
public final class CacheEntry: Sendable {
    /// The response.
    public let response: StoredResponse
    /// What it counts for in a limit of bytes: ``StoredResponse/footprint``.
    public let footprint: Int
    let terms: ResponseTerms

    /// Reads the fields of a response.
    public init(_ response: StoredResponse) {
        self.response = response
        footprint = response.footprint
        terms = ResponseTerms(response)
    }

    /// Whether one takes the other's place: the same key and the same values of the fields that `Vary` names.
    public func isSameVariant(as other: CacheEntry) -> Bool {
        response.key == other.response.key && response.varying == other.response.varying
    }
}
