import Endpoints
import Foundation
import TestSupport

/// A random value for a query or a form, and what a reader has to find in it.
indirect enum ParameterTree: Encodable, Sendable {
    case null, text(String), flag(Bool), number(Int), date(Date), data(Data)
    case list([ParameterTree])
    /// Properties whose names are words in camel case.
    case properties([(words: [String], value: ParameterTree)])
    case dictionary([String: ParameterTree])

    func encode(to encoder: any Encoder) throws {
        switch self {
        case .null: try Int?.none.encode(to: encoder)
        case .text(let text): try text.encode(to: encoder)
        case .flag(let flag): try flag.encode(to: encoder)
        case .number(let number): try number.encode(to: encoder)
        case .date(let date):
            var container = encoder.singleValueContainer()
            try container.encode(date)
        case .data(let data):
            var container = encoder.singleValueContainer()
            try container.encode(data)
        case .list(let elements): try elements.encode(to: encoder)
        case .dictionary(let members): try members.encode(to: encoder)
        case .properties(let properties):
            var container = encoder.container(keyedBy: AnyKey.self)
            for (index, property) in properties.enumerated() {
                let key = AnyKey(Self.camelCase(property.words))
                if case .null = property.value, index.isMultiple(of: 2) {
                    try container.encodeIfPresent(ParameterTree?.none, forKey: key)
                } else {
                    try container.encode(property.value, forKey: key)
                }
            }
        }
    }

    private static func camelCase(_ words: [String]) -> String {
        words[0] + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}

extension ParameterTree {
    private static let letters = Array("ab&=+%, ü😀\r\n\0#?/;\"").map(String.init)

    private static func text(_ random: inout SeededGenerator, _ maximum: Int) -> String {
        (0..<random.below(maximum + 1)).map { _ in random.pick(letters) }.joined()
    }

    /// A word that begins with two lower-case letters, so that the conversion of names finds it.
    private static func word(_ random: inout SeededGenerator) -> String {
        random.pick(["so", "by", "year", "no"]) + text(&random, 2)
    }

    static func scalar(_ random: inout SeededGenerator) -> ParameterTree {
        switch random.below(7) {
        case 0: .null
        case 1: .flag(random.chance(50))
        case 2: .number(random.below(2000) - 1000)
        case 3: .date(Date(timeIntervalSince1970: Double(random.below(4_000_000_000) - 2_000_000_000)))
        case 4: .data(Data((0..<random.below(5)).map { _ in UInt8(random.below(256)) }))
        default: .text(text(&random, 6))
        }
    }

    /// - Parameter nestsLists: Whether arrays may contain more than scalars, which only indices can express without loss.
    static func any(_ random: inout SeededGenerator, depth: Int, nestsLists: Bool) -> ParameterTree {
        guard depth > 0, random.chance(60) else { return scalar(&random) }
        switch random.below(3) {
        case 0:
            return .list(
                (0..<random.below(4)).map { _ in
                    nestsLists ? any(&random, depth: depth - 1, nestsLists: true) : scalar(&random)
                })
        case 1:
            let members = (0..<random.below(3)).map { _ in
                (word(&random) + "X", any(&random, depth: depth - 1, nestsLists: nestsLists))
            }
            return .dictionary(Dictionary(members) { first, _ in first })
        default:
            return object(&random, depth: depth - 1, nestsLists: nestsLists)
        }
    }

    static func object(_ random: inout SeededGenerator, depth: Int, nestsLists: Bool) -> ParameterTree {
        var taken: Set<[String]> = []
        var properties: [(words: [String], value: ParameterTree)] = []
        for _ in 0..<random.below(5) {
            let words = (0...random.below(3)).map { _ in word(&random) }
            guard taken.insert(words).inserted else { continue }
            properties.append((words, any(&random, depth: depth, nestsLists: nestsLists)))
        }
        return .properties(properties)
    }
}

extension ParameterTree {
    /// What is left of a value in a query: text, several texts with one name, or named values. Values without items are nil.
    enum Reading: Equatable {
        case text(String)
        case texts([String])
        case named([String: Reading])
    }

    func reading(_ style: QueryStyle, name: ([String]) -> String) -> Reading? {
        switch self {
        case .null: style.nils == .dropped ? nil : .text(style.nils == .null ? "null" : "")
        case .text(let text): .text(text)
        case .flag(let flag): .text(style.booleans == .numbers ? (flag ? "1" : "0") : "\(flag)")
        case .number(let number): .text("\(number)")
        case .date(let date): .text(date.formatted(.iso8601))
        case .data(let data): .text(data.base64EncodedString())
        case .list(let elements) where style.arrays == .indexed:
            Self.named(elements.enumerated().map { ("\($0)", $1.reading(style, name: name)) })
        case .list(let elements):
            Self.texts(elements.compactMap { $0.reading(style, name: name) })
        case .dictionary(let members): Self.named(members.map { ($0, $1.reading(style, name: name)) })
        case .properties(let properties): Self.named(properties.map { (name($0.words), $0.value.reading(style, name: name)) })
        }
    }

    private static func named(_ members: [(String, Reading?)]) -> Reading? {
        let members = members.compactMap { name, reading in reading.map { (name, $0) } }
        return members.isEmpty ? nil : .named(Dictionary(members) { first, _ in first })
    }

    /// A single text with a name cannot be distinguished from an array of one.
    private static func texts(_ elements: [Reading]) -> Reading? {
        let texts = elements.map { if case .text(let text) = $0 { text } else { "?" } }
        return texts.count > 1 ? .texts(texts) : texts.first.map(Reading.text)
    }
}
