import Endpoints
import Foundation

extension NetworkRequest {
    /// The request as an engine sends it: checked, with user information of the URL moved into `Authorization`, so that it is
    /// dropped with it on another origin and appears in no log.
    func prepared() throws(TransportError) -> NetworkRequest {
        do throws(RequestGenerationError) {
            try validate()
        } catch {
            throw TransportError(.invalidRequest, error.description, request: self, underlying: error)
        }
        guard url.absoluteString.utf8.contains(UInt8(ascii: "@")) else { return self }
        return withoutUserInformation()
    }

    private func withoutUserInformation() -> NetworkRequest {
        let text = URLText(url)
        guard let at = text.authority.utf8.lastIndex(of: UInt8(ascii: "@")) else { return self }
        let query = text.query.map { "?" + $0 } ?? ""
        guard let bare = URL(string: "\(text.scheme)://\(text.hostAndPort)\(text.path)\(query)") else { return self }
        var request = self
        request.url = bare
        if !headers.contains("Authorization") {
            let parts = text.authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            let decoded = parts.map { PercentEncoding.decoded($0) ?? String($0) }
            let credentials = decoded[0] + ":" + (decoded.count > 1 ? decoded[1] : "")
            request.headers.set("Basic " + Data(credentials.utf8).base64EncodedString(), for: "Authorization")
        }
        return request
    }
}
