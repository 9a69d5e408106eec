import Endpoints
import Foundation
import TransferTestSupport

@testable import NetworkCache

extension StoredResponse {
    /// A response received at ``TestTime/start``.
    static func make(
        _ headers: HeaderFields = ["Cache-Control": "max-age=60"], path: String = "item", method: RequestMethod = .get,
        status: Int = 200,
        body: String = "body", varying: [VaryingField] = [], partition: CachePartition = .withoutCredentials, age: Double = 0,
        host: String = "api.example.com"
    ) -> StoredResponse {
        let url = URL(string: "https://\(host)/\(path)") ?? URL(filePath: "/")
        let date = TestTime.start.addingTimeInterval(-age)
        return StoredResponse(
            key: CacheKey(method: method, url: url, partition: partition), varying: varying, statusCode: status, headers: headers,
            body: Data(body.utf8), url: url, requestTime: date, responseTime: date)
    }
}

extension HeaderFields {
    /// Creates headers from lines such as `Cache-Control: max-age=60`.
    init(lines: String...) {
        self.init(lines: lines)
    }

    init(lines: [String]) {
        self.init(
            lines.map { line in
                let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingPrefix { $0 == " " } }
                return Field(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
            })
    }
}

extension StorageRules {
    /// Returns whether a request has the values of varying fields, for an entry that was not used before.
    static func matches(_ varying: [StoredResponse.VaryingField], _ headers: HeaderFields) -> Bool {
        matches(CacheEntry(.make(varying: varying)), headers)
    }
}
