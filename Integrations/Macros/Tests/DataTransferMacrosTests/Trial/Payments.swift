import DataTransferMacros
import Foundation

// Forms (Stripe), a token in a field and in a header (Slack), and tokens that are refreshed.

struct Charge: Codable, Sendable {
    let id: String
    let amount: Int
}

@API
struct Stripe: StripeProtocol {
    @POST("v1/charges", encoding: .form, queryStyle: QueryStyle(arrays: .brackets), isIdempotent: true)
    func charge(
        amount: Int, currency: String, @Header("Idempotency-Key") key: UUID, metadata: [String: String] = [:],
        expand: [String] = []
    ) async throws -> Charge
    @GET("v1/charges", keyPath: "data")
    func charges(limit: Int = 10, @Query("starting_after") last: String? = nil, @Query("created[gte]") since: Int? = nil)
        async throws -> [Charge]
    @POST("v1/charges/{id}/capture") func capture(id: String) async throws -> Charge
}

struct SlackMessage: Encodable, Sendable {
    var channel: String
    var text: String
    var threadTimestamp: String?

    enum CodingKeys: String, CodingKey {
        case channel, text
        case threadTimestamp = "thread_ts"
    }
}

@API
struct Slack: SlackProtocol {
    @POST("chat.postMessage", keyPath: "ts")
    func post(_ message: SlackMessage, @Header("Authorization") token: String) async throws -> String
    @GET("conversations.list", keyPath: "channels")
    func channels(@Query("exclude_archived") active: Bool = true, cursor: String? = nil) async throws -> [Repository]
}

struct Tokens: Codable, Sendable {
    let accessToken: String
    let refreshToken: String

    enum CodingKeys: String, CodingKey {
        case accessToken = "access_token"
        case refreshToken = "refresh_token"
    }
}

/// What an `AuthenticationInterceptor` calls: without credentials, and on a service without that interceptor.
@API
struct Login: LoginProtocol {
    @POST("oauth/token", requiresAuthentication: false)
    func refresh(
        @Field("grant_type") grant: String = "refresh_token", @Field("refresh_token") token: String,
        @Field("client_id") client: String
    ) async throws -> Tokens
    @POST("oauth/revoke", requiresAuthentication: false) func revoke(@Field token: String) async throws
}
