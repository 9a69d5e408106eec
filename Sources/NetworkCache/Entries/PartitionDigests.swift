import Endpoints
import NetworkSupport

/// The texts of partitions that were calculated lately, so that the credentials of a user are not digested for each request.
///
/// It holds no credentials: a row is found by a hash of them with a random key (``KeyedHash``), and contains the digest that is part of
/// keys anyway. The number of rows is constant; a new row replaces the one at its place. Two sets of credentials have the same hash of 128
/// bits with a negligible probability, and such a pair cannot be looked for, as the key is secret and belongs to one cache of one process.
final class PartitionDigests: Sendable {
    private struct Row {
        var hash: KeyedHash.Value
        var text: String
    }

    /// The number of rows, each of about 150 bytes.
    static let maximumRows = 256

    private let key = KeyedHash.Key.random
    private let rows = Locked([Row?](repeating: nil, count: maximumRows))

    /// The number of texts that are remembered.
    var count: Int { rows.withLock { $0.count { $0 != nil } } }

    /// Returns the text of the partition for a list of fields and user information.
    ///
    /// - Parameter make: Calculates it. Called, without a lock held, if it is not known.
    func text(of fields: [HeaderFields.Field], user: String?, make: () -> String) -> String {
        var hash = KeyedHash(key)
        for field in fields {
            hash.add(field.name)
            hash.add(field.value)
        }
        if let user {
            // It is not the name of a field.
            hash.add("@")
            hash.add(user)
        }
        let value = hash.finished()
        let place = Int(truncatingIfNeeded: value.low % UInt64(Self.maximumRows))
        let known = rows.withLock { rows in
            if let row = rows[place], row.hash == value { row.text } else { String?.none }
        }
        if let known { return known }
        let text = make()
        rows.withLock { $0[place] = Row(hash: value, text: text) }
        return text
    }
}
