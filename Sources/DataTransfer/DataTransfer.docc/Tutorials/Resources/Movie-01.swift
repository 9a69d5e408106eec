import DataTransfer

/// A movie of the server.
struct Movie: Codable, Sendable, Equatable {
    /// The number by which the server knows it.
    var id: Int
    /// Its title in the language of the client.
    var title: String
}
