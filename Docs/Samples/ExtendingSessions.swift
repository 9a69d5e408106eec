import DataTransfer
import Foundation

let api = try APIConfiguration("https://api.example.com/3")
let folder = URL(fileURLWithPath: "/usr/share/app/responses")

// snippet.session
struct FolderSession: NetworkSessionManager {
    let folder: URL

    func response(for request: NetworkRequest) async throws(TransportError)
        -> NetworkResponse
    {
        if Task.isCancelled {
            throw TransportError(
                .cancelled, "the task was cancelled", request: request)
        }
        let file = folder.appendingPathComponent(request.url.lastPathComponent)
        guard let data = try? Data(contentsOf: file) else {
            return NetworkResponse(statusCode: 404, url: request.url)
        }
        return NetworkResponse(
            statusCode: 200, headers: ["Content-Type": "application/json"],
            body: .data(data), url: request.url)
    }
}

let offline = DefaultDataTransferService(
    configuration: api, sessionManager: FolderSession(folder: folder))
// snippet.end

// snippet.interceptor
struct EnglishFallback: NetworkInterceptor {
    func intercept(_ request: NetworkRequest, next: NetworkExchange)
        async throws(TransportError) -> NetworkResponse
    {
        let response = try await next(request)
        guard response.statusCode == 406, request.method == .get else {
            return response
        }
        var english = request
        english.headers["Accept-Language"] = "en"
        return try await next(english)
    }
}

let service = DefaultDataTransferService(
    configuration: api, interceptors: [EnglishFallback()])
// snippet.end

print(offline, service)
