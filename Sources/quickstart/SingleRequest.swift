import DataTransfer
import Foundation

/// One GET to any server: status, timings, and the body or the value at a key path.
struct SingleRequest {
    var server: String
    var path: String
    var keyPath: String?

    func run() async throws {
        let service = DefaultDataTransferService(configuration: try APIConfiguration(server))
        let keyPath = keyPath
        let endpoint = Endpoint<String>(path: path) { body in
            if let keyPath {
                let slice = try JSONSlicer().slice(of: body.data, at: JSONKeyPath(keyPath))
                return String(decoding: slice, as: UTF8.self)
            }
            return Redaction.default.redacted(body: body.data, contentType: body.contentType, limit: 10_000)
        }
        let response = try await service.response(for: endpoint)
        Terminal.say(Terminal.describe(response.statusCode, response.timings))
        Terminal.say(response.value)
    }
}
