// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// A document of about 1 KB, like the response of an API.
public struct APIDocument: Codable, Equatable, Sendable {
    public var id: Int
    public var name: String
    public var email: String
    public var isActive: Bool
    public var score: Double
    public var bio: String?
    public var nickname: String?
    public var tags: [String]
    public var address: Address
    public var orders: [Order]
    public var permissions: [Permission]
    public var settings: [String: Bool]
    public var createdAt: String
    public var updatedAt: String

    public struct Address: Codable, Equatable, Sendable {
        public var street: String
        public var city: String
        public var zip: String
        public var country: String
        public var latitude: Double
        public var longitude: Double
    }

    public struct Order: Codable, Equatable, Sendable {
        public var id: Int
        public var item: String
        public var quantity: Int
        public var price: Double
        public var isShipped: Bool
    }

    public enum Permission: String, Codable, Sendable { case read, write, admin }

    public static func make(_ i: Int = 1) -> APIDocument {
        APIDocument(
            id: 1_000_000 + i, name: "Ada Lovelace \(i)", email: "ada.lovelace\(i)@example.com", isActive: i % 2 == 0,
            score: 98.25 + Double(i),
            bio: "Mathematician and writer, chiefly known for work on the Analytical Engine.", nickname: nil,
            tags: ["mathematics", "computing", "poetry", "a somewhat longer tag than the others"],
            address: Address(
                street: "12 St James's Square", city: "London", zip: "SW1Y 4JH", country: "United Kingdom", latitude: 51.50735,
                longitude: -0.13553),
            orders: (0..<4).map {
                Order(
                    id: 9000 + $0, item: "Punched cards, box of \($0 * 100)", quantity: $0 + 1, price: 12.5 * Double($0) + 0.49,
                    isShipped: $0 % 2 == 0)
            },
            permissions: [.read, .write, .admin], settings: ["newsletter": true, "beta": false],
            createdAt: "2024-01-31T12:34:56Z",
            updatedAt: "2024-06-30T01:02:03Z")
    }
}

/// An element of a list of about 100 KB, with Foundation's types.
public struct RichItem: Codable, Equatable, Sendable {
    public var id: UUID
    public var title: String
    public var price: Decimal
    public var createdAt: Date
    public var updatedAt: Date?
    public var link: URL
    public var image: URL
    public var state: State
    public var count: Int
    public var rating: Double
    public var tags: [String]

    public enum State: String, Codable, Sendable { case draft, published, archived }

    public static func list(_ count: Int = 300) -> [RichItem] {
        var random = Random(seed: 7)
        return (0..<count).map { i -> RichItem in
            let price = Decimal(string: "\(i * 7 % 1000).\(10 + i % 89)")!
            let state: State = [.draft, .published, .archived][i % 3]
            let created = 1_600_000_000 + i * 86_399
            let updated = 1_700_000_000 + i * 4321
            let link = URL(string: "https://www.example.com/items/\(i)?ref=list")!
            let image = URL(string: "https://images.example.com/\(i)/large.jpg")!
            return RichItem(
                id: UUID(uuid: random.uuid()), title: "Item number \(i), with a title", price: price,
                createdAt: Date(timeIntervalSince1970: Double(created)),
                updatedAt: i % 3 == 0 ? nil : Date(timeIntervalSince1970: Double(updated)),
                link: link,
                image: image, state: state, count: i * 17,
                rating: Double(i % 50) / 10, tags: ["new", "sale \(i % 7)"])
        }
    }
}

/// An element of a list of about 100 KB, with plain types.
public struct PlainItem: Codable, Equatable, Sendable {
    public var id: String
    public var title: String
    public var price: Double
    public var createdAt: String
    public var updatedAt: String?
    public var link: String
    public var image: String
    public var state: String
    public var count: Int
    public var rating: Double
    public var isNew: Bool
    public var tags: [String]

    public static func list(_ count: Int = 300) -> [PlainItem] {
        var random = Random(seed: 8)
        return (0..<count).map { i -> PlainItem in
            let price: Double = Double(i * 7 % 1000) + Double(i % 89) / 100
            let state: String = ["draft", "published", "archived"][i % 3]
            let uuid = UUID(uuid: random.uuid()).uuidString
            let updated: String? = i % 3 == 0 ? nil : "2024-06-30T01:02:03Z"
            return PlainItem(
                id: uuid, title: "Item number \(i), with a title", price: price,
                createdAt: "2024-01-31T12:34:56Z", updatedAt: updated,
                link: "https://www.example.com/items/\(i)?ref=list", image: "https://images.example.com/\(i)/large.jpg",
                state: state, count: i * 17, rating: Double(i % 50) / 10, isNew: i % 2 == 0,
                tags: ["new", "sale \(i % 7)"])
        }
    }
}

/// A record of a database whose keys begin with underscores.
public struct StoredItem: Codable, Equatable, Sendable {
    public var _id: String
    public var __v: Int
    public var createdAt: String
    public var ownerName: String
    public var isPublic: Bool

    public static func list() -> [StoredItem] {
        (0..<100).map {
            StoredItem(
                _id: "65b9c0ffee\($0)", __v: $0, createdAt: "2024-01-31T12:34:56Z", ownerName: "owner \($0)",
                isPublic: $0 % 2 == 0)
        }
    }
}
