/// The 1 KB of JSON that nginx serves under `document`; under `tiny` it serves `42`.
struct Document: Decodable, Sendable {
    struct Item: Decodable, Sendable {
        var id: Int
        var title: String
        var year: Int
        var rating: Double
        var genres: [String]
    }

    /// The last part of the URL, and the size in bytes.
    static let name = "document"
    static let bytes = 1024
    static let tiny = "tiny"
    static let tinyBytes = 2

    var page: Int
    var items: [Item]
    var note: String
}
