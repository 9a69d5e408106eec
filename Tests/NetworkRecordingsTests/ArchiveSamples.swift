import Foundation
import NetworkRecordings
import NetworkTesting
import TransferTestSupport

/// Documents with one entry. A test passes only the parts that it checks.
enum ArchiveSamples {
    static func document(_ entries: String) -> Data {
        Data(#"{"log": {"version": "1.2", "creator": {"name": "test", "version": "1"}, "entries": [\#(entries)]}}"#.utf8)
    }

    static func entry(
        request: String = #""method": "GET", "url": "https://a.test/x""#,
        response: String = #""status": 200, "headers": [], "content": {"size": 2, "mimeType": "text/plain", "text": "ok"}"#,
        more: String = #""startedDateTime": "2026-01-02T03:04:05.678Z", "timings": {"send": 1, "wait": 2, "receive": 3}"#
    ) -> String {
        #"{"request": {\#(request)}, "response": {\#(response)}, \#(more)}"#
    }

    static func archive(_ entries: String...) throws -> HTTPArchive {
        try HTTPArchive(data: document(entries.joined(separator: ",")))
    }

    static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Fixtures")
    /// Exported by Chromium 156; white space was removed.
    static let chromium = fixtures.appendingPathComponent("chromium.har")
}

extension NetworkSessionManager {
    func text(_ request: NetworkRequest) async throws -> String {
        String(decoding: try await response(for: request).data, as: UTF8.self)
    }

    /// The error of a request that is expected to fail.
    func failure(of request: NetworkRequest) async -> TransportError? {
        do throws(TransportError) {
            _ = try await response(for: request)
            return nil
        } catch {
            return error
        }
    }
}

extension NetworkRequest {
    static func make(
        _ method: RequestMethod = .get, _ url: String = "https://a.test/x", headers: HeaderFields = [:], body: String? = nil
    ) throws -> NetworkRequest {
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        return NetworkRequest(method: method, url: url, headers: headers, body: body.map { .data(Data($0.utf8)) })
    }
}
