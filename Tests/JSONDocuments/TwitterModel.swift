// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

// The model of serde-rs/json-benchmark for twitter.json.

public struct Twitter: Codable, Equatable, Sendable {
    public var statuses: [Status]
    public var search_metadata: SearchMetadata
}

/// A number that is written as a string.
public struct NumberText<Number: FixedWidthInteger & Codable & Sendable>: Codable, Equatable, Sendable {
    public var number: Number

    public init(_ number: Number) { self.number = number }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let number = Number(try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not a number.")
        }
        self.number = number
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(String(number))
    }
}

public struct Color: Codable, Equatable, Sendable {
    public var rgb: UInt32

    public init(rgb: UInt32) { self.rgb = rgb }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let rgb = UInt32(try container.decode(String.self), radix: 16) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not a color.")
        }
        self.rgb = rgb
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let digits = String(rgb, radix: 16, uppercase: true)
        try container.encode(String(repeating: "0", count: 6 - digits.count) + digits)
    }
}

public struct Indices: Codable, Equatable, Sendable {
    public var first: UInt8
    public var last: UInt8

    public init(first: UInt8, last: UInt8) {
        self.first = first
        self.last = last
    }

    public init(from decoder: any Decoder) throws {
        var container = try decoder.unkeyedContainer()
        first = try container.decode(UInt8.self)
        last = try container.decode(UInt8.self)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encode(first)
        try container.encode(last)
    }
}

/// A value that is always null.
public struct Null: Codable, Equatable, Sendable {
    public init() {}

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard container.decodeNil() else { throw DecodingError.dataCorruptedError(in: container, debugDescription: "Not null.") }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
    }
}

public enum Language: String, Codable, Sendable { case cn = "zh-cn", en, es, it, ja, zh }
public enum Resize: String, Codable, Sendable { case fit, crop }
public enum ResultType: String, Codable, Sendable { case recent }

public final class RetweetedStatus: Codable, Equatable, Sendable {
    public let status: Status

    public init(_ status: Status) { self.status = status }
    public init(from decoder: any Decoder) throws { status = try Status(from: decoder) }
    public func encode(to encoder: any Encoder) throws { try status.encode(to: encoder) }
    public static func == (a: RetweetedStatus, b: RetweetedStatus) -> Bool { a.status == b.status }
}

public struct Status: Codable, Equatable, Sendable {
    public var metadata: Metadata
    public var created_at: String
    public var id: UInt64
    public var id_str: NumberText<UInt64>
    public var text: String
    public var source: String
    public var truncated: Bool
    public var in_reply_to_status_id: UInt64?
    public var in_reply_to_status_id_str: NumberText<UInt64>?
    public var in_reply_to_user_id: UInt32?
    public var in_reply_to_user_id_str: NumberText<UInt32>?
    public var in_reply_to_screen_name: String?
    public var user: User
    public var geo: Null?
    public var coordinates: Null?
    public var place: Null?
    public var contributors: Null?
    public var retweeted_status: RetweetedStatus?
    public var retweet_count: UInt32
    public var favorite_count: UInt32
    public var entities: StatusEntities
    public var favorited: Bool
    public var retweeted: Bool
    public var possibly_sensitive: Bool?
    public var lang: Language
}

public struct Metadata: Codable, Equatable, Sendable {
    public var result_type: ResultType
    public var iso_language_code: Language
}

public struct User: Codable, Equatable, Sendable {
    public var id: UInt32
    public var id_str: NumberText<UInt32>
    public var name: String
    public var screen_name: String
    public var location: String
    public var description: String
    public var url: String?
    public var entities: UserEntities
    public var protected: Bool
    public var followers_count: UInt32
    public var friends_count: UInt32
    public var listed_count: UInt32
    public var created_at: String
    public var favourites_count: UInt32
    public var utc_offset: Int32?
    public var time_zone: String?
    public var geo_enabled: Bool
    public var verified: Bool
    public var statuses_count: UInt32
    public var lang: Language
    public var contributors_enabled: Bool
    public var is_translator: Bool
    public var is_translation_enabled: Bool
    public var profile_background_color: Color
    public var profile_background_image_url: String
    public var profile_background_image_url_https: String
    public var profile_background_tile: Bool
    public var profile_image_url: String
    public var profile_image_url_https: String
    public var profile_banner_url: String?
    public var profile_link_color: Color
    public var profile_sidebar_border_color: Color
    public var profile_sidebar_fill_color: Color
    public var profile_text_color: Color
    public var profile_use_background_image: Bool
    public var default_profile: Bool
    public var default_profile_image: Bool
    public var following: Bool
    public var follow_request_sent: Bool
    public var notifications: Bool
}

public struct UserEntities: Codable, Equatable, Sendable {
    public var url: Links?
    public var description: Links
}

public struct Links: Codable, Equatable, Sendable { public var urls: [Link] }

public struct Link: Codable, Equatable, Sendable {
    public var url: String
    public var expanded_url: String
    public var display_url: String
    public var indices: Indices
}

public struct StatusEntities: Codable, Equatable, Sendable {
    public var hashtags: [Hashtag]
    public var symbols: [Null]
    public var urls: [Link]
    public var user_mentions: [UserMention]
    public var media: [Media]?
}

public struct Hashtag: Codable, Equatable, Sendable {
    public var text: String
    public var indices: Indices
}

public struct UserMention: Codable, Equatable, Sendable {
    public var screen_name: String
    public var name: String
    public var id: UInt32
    public var id_str: NumberText<UInt32>
    public var indices: Indices
}

public struct Media: Codable, Equatable, Sendable {
    public var id: UInt64
    public var id_str: NumberText<UInt64>
    public var indices: Indices
    public var media_url: String
    public var media_url_https: String
    public var url: String
    public var display_url: String
    public var expanded_url: String
    public var type: String
    public var sizes: Sizes
    public var source_status_id: UInt64?
    public var source_status_id_str: NumberText<UInt64>?
}

public struct Sizes: Codable, Equatable, Sendable {
    public var medium: Size
    public var small: Size
    public var thumb: Size
    public var large: Size
}

public struct Size: Codable, Equatable, Sendable {
    public var w: UInt16
    public var h: UInt16
    public var resize: Resize
}

public struct SearchMetadata: Codable, Equatable, Sendable {
    public var completed_in: Float
    public var max_id: UInt64
    public var max_id_str: NumberText<UInt64>
    public var next_results: String
    public var query: String
    public var refresh_url: String
    public var count: UInt8
    public var since_id: UInt64
    public var since_id_str: NumberText<UInt64>
}
