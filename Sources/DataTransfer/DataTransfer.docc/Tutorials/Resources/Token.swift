import DataTransfer
import NetworkPipeline

/// The response to a request for a token.
struct Token: Decodable, Sendable {
    let value: String
    let refresh: String
}

extension Endpoint where Response == Token {
    static func token(for refreshToken: String?) -> Self {
        Endpoint(
            path: "token", method: .post,
            body: .form([
                "grant_type": "refresh_token", "refresh_token": refreshToken,
            ]))
    }
}

extension RefreshingCredentials {
    /// Creates the credentials of a user, which are renewed at the server when
    /// they are refused.
    convenience init(refreshToken: String, configuration: APIConfiguration) {
        let service = DefaultDataTransferService(configuration: configuration)
        self.init { old in
            let token = try await service.request(
                .token(for: old?.refreshToken ?? refreshToken))
            return .bearer(token.value, refreshToken: token.refresh)
        }
    }
}
