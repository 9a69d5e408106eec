// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The models of serde-rs/json-benchmark for citm_catalog.json and canada.json.

public struct Catalog: Codable, Equatable, Sendable {
    public var areaNames: [String: String]
    public var audienceSubCategoryNames: [String: String]
    public var blockNames: [String: String]
    public var events: [String: Event]
    public var performances: [Performance]
    public var seatCategoryNames: [String: String]
    public var subTopicNames: [String: String]
    public var subjectNames: [String: String]
    public var topicNames: [String: String]
    public var topicSubTopics: [String: [UInt32]]
    public var venueNames: [String: String]
}

public struct Event: Codable, Equatable, Sendable {
    public var description: Null?
    public var id: UInt32
    public var logo: String?
    public var name: String
    public var subTopicIds: [UInt32]
    public var subjectCode: Null?
    public var subtitle: Null?
    public var topicIds: [UInt32]
}

public struct Performance: Codable, Equatable, Sendable {
    public var eventId: UInt32
    public var id: UInt32
    public var logo: String?
    public var name: Null?
    public var prices: [Price]
    public var seatCategories: [SeatCategory]
    public var seatMapImage: Null?
    public var start: UInt64
    public var venueCode: String
}

public struct Price: Codable, Equatable, Sendable {
    public var amount: UInt32
    public var audienceSubCategoryId: UInt32
    public var seatCategoryId: UInt32
}

public struct SeatCategory: Codable, Equatable, Sendable {
    public var areas: [Area]
    public var seatCategoryId: UInt32
}

public struct Area: Codable, Equatable, Sendable {
    public var areaId: UInt32
    public var blockIds: [UInt32]
}

public struct Canada: Codable, Equatable, Sendable {
    public var type: String
    public var features: [Feature]
}

public struct Feature: Codable, Equatable, Sendable {
    public var type: String
    public var properties: [String: String]
    public var geometry: Geometry
}

public struct Geometry: Codable, Equatable, Sendable {
    public var type: String
    public var coordinates: [[Coordinate]]
}

public struct Coordinate: Codable, Equatable, Sendable {
    public var longitude: Double
    public var latitude: Double

    public init(longitude: Double, latitude: Double) {
        self.longitude = longitude
        self.latitude = latitude
    }

    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        longitude = try container.decode(Double.self)
        latitude = try container.decode(Double.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(longitude)
        try container.encode(latitude)
    }
}
