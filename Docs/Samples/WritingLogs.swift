import Endpoints
import Foundation
import NetworkCore
import NetworkLogging

// snippet.logger
struct FailureLogger: NetworkErrorLogger {
    func log(error: any Error, for request: LoggedRequest?) {
        print(
            request.map { CurlCommand($0).text } ?? "no request",
            Redaction.default.redacted(text: "\(error)"))
    }
}
// snippet.end

let request = try Endpoint<Void>(path: "movie/7").networkRequest(
    with: APIConfiguration("https://api.example.com"))
FailureLogger().log(error: CancellationError(), for: request.logged)
