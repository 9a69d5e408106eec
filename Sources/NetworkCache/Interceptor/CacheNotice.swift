import Endpoints
import NetworkCore
import NetworkLogging

/// A notice for the logger of a cache: the response to a URL was stored several times in a row, each time in another partition, and never used.
struct UnusedPartitions: Error, Sendable {
    /// The number of stored responses.
    var count: Int
    /// The names of the fields that had another value each time, in lower case. Empty if the partitions have names.
    var fields: [String]
}

extension UnusedPartitions: RedactedStringConvertible {
    var description: String {
        let cause =
            fields.isEmpty
            ? "each request had another partition, session manager or Host"
            : "each request had another value of \(fields.map { $0.printable }.joined(separator: ", "))"
        return """
            cache: the last \(count) responses to this URL were stored and never used, because \(cause). Fields that only identify a request \
            can be listed in CacheOptions.ignoredFields
            """
    }
}

/// A count of the responses that were stored without a use, by URL.
struct PartitionWatch {
    private struct Row {
        var partition: String
        /// The hashes of the values of the fields that separate the last request from others.
        var fields: [String: Int]
        var differing: Set<String>
        var count = 1
    }

    /// The number of responses after which the notice is due.
    static let patience = 16
    private static let maximumRows = 256

    private var rows: [String: Row] = [:]
    private var isReported = false

    /// Records that a stored response was used, or that one was replaced in its partition.
    mutating func use(_ key: CacheKey) {
        if !rows.isEmpty { rows[key.url] = nil }
    }

    /// Records that a response was stored in a partition without another one for its URL.
    ///
    /// - Parameter fields: The fields that separate it from others.
    /// - Returns: The notice, the first time that it is due.
    mutating func store(_ key: CacheKey, _ fields: @autoclosure () -> [HeaderFields.Field]) -> UnusedPartitions? {
        guard !isReported else { return nil }
        let hashes = Dictionary(fields().map { ($0.name, $0.value.hashValue) }) { $0 ^ $1 &* 31 }
        guard var row = rows[key.url] else {
            if rows.count >= Self.maximumRows { rows = [:] }
            rows[key.url] = Row(partition: key.partition, fields: hashes, differing: Set(hashes.keys))
            return nil
        }
        guard row.partition != key.partition else { return nil }
        row.differing = row.differing.filter { row.fields[$0] != hashes[$0] }
        row.fields = hashes
        row.partition = key.partition
        row.count += 1
        rows[key.url] = row
        guard row.count >= Self.patience else { return nil }
        isReported = true
        rows = [:]
        return UnusedPartitions(count: row.count, fields: row.differing.sorted())
    }
}
