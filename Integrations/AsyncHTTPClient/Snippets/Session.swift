import DataTransferAsyncHTTPClient
import Foundation

// snippet.session
let session = AsyncHTTPClientSessionManager(
    configuration: SessionConfiguration { $0.maximumConnectionsPerHost = 16 })
let movie = NetworkRequest(url: URL(string: "https://api.example.com/movie/7")!)
let response = try await session.response(for: movie)
print(response.statusCode, response.data.count)
await session.close()
// snippet.end
