import DataTransfer
import Foundation

extension Requestable {
    /// The request for the base URL `https://api.example.com/3`.
    func built() throws -> NetworkRequest {
        try networkRequest(with: APIConfiguration("https://api.example.com/3"))
    }

    /// The method and what follows the base URL: `GET /movie/7?page=1`.
    func line() throws -> String {
        let request = try built()
        return "\(request.method) \(request.url.absoluteString.dropFirst("https://api.example.com/3".count))"
    }

    /// The body as text; empty without a body.
    func text() throws -> String {
        try String(decoding: built().body?.data ?? Data(), as: UTF8.self)
    }
}
