import DataTransfer

// What the API offers: a path, a method, a body, and the type of the response. No I/O happens here, so that each can be tested by itself.

extension Endpoint where Response == User {
    /// The user of the token.
    static var me: Self { Endpoint(path: "me") }
}

extension Endpoint where Response == [Issue] {
    /// A page of issues. The `Link` field of the response leads to the next one.
    static func issues(_ state: Issue.State?, pageSize: Int) -> Self {
        Endpoint(path: "issues", queryParameters: ["state": state?.rawValue, "per_page": pageSize], keyPath: "items")
    }
}

extension Endpoint where Response == Issue {
    static func issue(_ id: Issue.ID) -> Self { Endpoint(path: "issues/{id}", pathParameters: ["id": id]) }

    static func create(_ draft: IssueDraft) -> Self { Endpoint(path: "issues", method: .post, body: .json(draft)) }

    static func set(_ state: Issue.State, of id: Issue.ID) -> Self {
        Endpoint(path: "issues/{id}", method: .patch, pathParameters: ["id": id], body: .json(["state": state.rawValue]))
    }
}

/// The tokens of a user.
struct Tokens: Decodable, Sendable {
    var accessToken: String
    var refreshToken: String
}

extension Endpoint where Response == Tokens {
    static func tokens(for refreshToken: String) -> Self {
        Endpoint(path: "token", method: .post, body: .form(["grant_type": "refresh_token", "refresh_token": refreshToken]))
    }
}
