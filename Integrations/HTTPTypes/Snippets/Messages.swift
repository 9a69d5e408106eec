import DataTransferHTTPTypes
import Foundation

let session = DefaultSessionManager.shared

// snippet.messages
let request = HTTPRequest(
    method: .get, scheme: "https", authority: "api.example.com",
    path: "/movies?page=1",
    headerFields: [.accept: "application/json"])
let response = try await session.response(for: NetworkRequest(request))
let head = try HTTPResponse(response)
print(head.status, head.headerFields[.contentType] ?? "", response.data.count)
// snippet.end

// snippet.sending
let upload = HTTPRequest(
    method: .post, scheme: nil, authority: nil, path: "/movies")
let base = URL(string: "https://api.example.com/v1")!
let (status, body) = try await session.send(
    upload, body: .file(URL(fileURLWithPath: "movie.json")), baseURL: base)
for try await chunk in body ?? .empty { print(status.status, chunk.count) }
// snippet.end
