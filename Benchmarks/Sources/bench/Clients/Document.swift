import Foundation

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
    /// A binary message of a WebSocket, of 1 MiB.
    static let mebibyte = "mebibyte"

    /// A document like the one that nginx serves.
    static var example: Data {
        let items = (1...8).map { number in
            #"{"id":\#(number),"title":"The Bridge of San Luis Rey","year":193\#(number),"rating":7.\#(number),"genres":["drama"]}"#
        }
        let start = #"{"page":1,"items":[\#(items.joined(separator: ","))],"note":""#
        return Data((start + String(repeating: "x", count: bytes - start.utf8.count - 2) + #""}"#).utf8)
    }

    var page: Int
    var items: [Item]
    var note: String
}
