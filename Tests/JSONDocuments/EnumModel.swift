// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

/// Elements of a page, each with a content of one of several models.
public struct PageElement: Codable, Equatable, Sendable {
    public var id: Int
    public var content: PageContent

    /// 1,000 elements with each kind of content.
    public static func list() -> [PageElement] {
        var random = Random(seed: 7)
        return (0..<1000).map { id in
            let content: PageContent =
                switch random.below(8) {
                case 0: .number(random.below(1_000_000))
                case 1: .ratio(Double(random.below(100_000)) / 1024 + 0.0001)
                case 2: .text("Paragraph \(random.below(1_000_000)) of the page")
                case 3: .tags((0..<3).map { "tag \($0)" })
                case 4: .link(Link(url: "https://example.com/pages/\(id)", title: "Page \(id)"))
                case 5: .image(Image(source: "/images/\(id).png", width: 640, height: 480))
                case 6: .table(Table(columns: ["name", "size"], rows: [["a", "1"], ["b", "2"]]))
                default: .video(Video(source: "/videos/\(id).mp4", seconds: 12.5))
                }
            return PageElement(id: id, content: content)
        }
    }

    public struct Link: Codable, Equatable, Sendable {
        public var url: String
        public var title: String
    }

    public struct Image: Codable, Equatable, Sendable {
        public var source: String
        public var width: Int
        public var height: Int
    }

    public struct Table: Codable, Equatable, Sendable {
        public var columns: [String]
        public var rows: [[String]]
    }

    public struct Video: Codable, Equatable, Sendable {
        public var source: String
        public var seconds: Double
    }
}

/// One of several types and models without a discriminator, found by trying one after the other.
public enum PageContent: Codable, Equatable, Sendable {
    case number(Int)
    case ratio(Double)
    case text(String)
    case tags([String])
    case link(PageElement.Link)
    case image(PageElement.Image)
    case table(PageElement.Table)
    case video(PageElement.Video)

    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let value = try? container.decode(Int.self) {
            self = .number(value)
        } else if let value = try? container.decode(Double.self) {
            self = .ratio(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([String].self) {
            self = .tags(value)
        } else if let value = try? container.decode(PageElement.Link.self) {
            self = .link(value)
        } else if let value = try? container.decode(PageElement.Image.self) {
            self = .image(value)
        } else if let value = try? container.decode(PageElement.Table.self) {
            self = .table(value)
        } else {
            self = .video(try container.decode(PageElement.Video.self))
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .number(let value): try container.encode(value)
        case .ratio(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .tags(let value): try container.encode(value)
        case .link(let value): try container.encode(value)
        case .image(let value): try container.encode(value)
        case .table(let value): try container.encode(value)
        case .video(let value): try container.encode(value)
        }
    }
}
