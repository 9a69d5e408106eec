import Foundation
import JSONDocuments
import NetworkJSON
import Testing

/// The limit of nesting in both directions, and the stack of a thread.
@Suite(.timeLimit(.minutes(10))) struct JSONNestingTests {
    /// Arrays in arrays, each of which is a value.
    private indirect enum Tree: Codable, Equatable, Sendable {
        case leaf(Int), array([Tree]), object([String: Tree])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .leaf(number)
            } else if let values = try? decoder.unkeyedContainer() {
                var (values, elements) = (values, [Tree]())
                while !values.isAtEnd { elements.append(try values.decode(Tree.self)) }
                self = .array(elements)
            } else {
                self = .object(try container.decode([String: Tree].self))
            }
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            switch self {
            case .leaf(let number): try container.encode(number)
            case .array(let trees): try container.encode(trees)
            case .object(let trees): try container.encode(trees)
            }
        }

        static func deep(_ levels: Int) -> Tree {
            (0..<levels).reduce(.leaf(1)) { tree, level in level % 2 == 0 ? .array([tree]) : .object(["a": tree]) }
        }
    }

    /// Objects or arrays in each other that one function opens.
    private struct Flat: Encodable, Sendable {
        let isObject: Bool

        func encode(to encoder: any Encoder) throws {
            if isObject {
                var container = encoder.container(keyedBy: AnyCodingKey.self)
                for _ in 1..<NestingLimit.maximumFoundationDepth {
                    container = container.nestedContainer(keyedBy: AnyCodingKey.self, forKey: "a")
                }
                try container.encode("", forKey: "b")
            } else {
                var container = encoder.unkeyedContainer()
                for _ in 1..<NestingLimit.maximumFoundationDepth { container = container.nestedUnkeyedContainer() }
                try container.encode("")
            }
        }
    }

    /// An object that can contain itself: as a property, an element, in nested containers, a super encoder, wrappers without a container, or after a
    /// key that is written twice, which Foundation's encoder has to encode.
    private final class Node: Encodable, @unchecked Sendable {
        enum Way: CaseIterable { case property, element, nested, parent, dictionary, optional, single, twice, caught, date, data }
        var way: Way
        var next: Node?
        init(_ way: Way) { self.way = way }

        static func loop(_ way: Way) -> Node {
            let (one, other) = (Node(way), Node(way))
            (one.next, other.next) = (other, one)
            return one
        }

        func encode(to encoder: any Encoder) throws {
            guard let next else { return }
            switch way {
            case .property:
                var container = encoder.container(keyedBy: AnyCodingKey.self)
                try container.encodeIfPresent(next, forKey: "n")
            case .element:
                var container = encoder.unkeyedContainer()
                try container.encode([[next]])
            case .nested:
                var container = encoder.container(keyedBy: AnyCodingKey.self)
                var inner = container.nestedContainer(keyedBy: AnyCodingKey.self, forKey: "n")
                var array = inner.nestedUnkeyedContainer(forKey: "n")
                try array.encode(next)
            case .parent:
                var container = encoder.container(keyedBy: AnyCodingKey.self)
                // A call that can throw before the recursion.
                try container.encode(1, forKey: "a")
                try next.encode(to: container.superEncoder())
            case .dictionary:
                var container = encoder.singleValueContainer()
                try container.encode(["n": next])
            case .optional:
                var container = encoder.singleValueContainer()
                try container.encode(Node??.some(next))
            case .single:
                var container = encoder.singleValueContainer()
                try container.encode(next)
            case .twice:
                var container = encoder.container(keyedBy: AnyCodingKey.self)
                try container.encode(1, forKey: "n")
                try container.encode(next, forKey: "n")
            case .caught:
                var container = encoder.unkeyedContainer()
                try? container.encode(next)
            case .date:
                var container = encoder.singleValueContainer()
                try container.encode(Date(timeIntervalSince1970: 0))
            case .data:
                var container = encoder.singleValueContainer()
                try container.encode(Data())
            }
        }
    }

    /// Runs a closure on a thread with a small stack.
    private func onThread<Result: Sendable>(stackKiB: Int, _ body: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let thread = Thread { continuation.resume(returning: body()) }
            thread.stackSize = stackKiB << 10
            thread.start()
        }
    }

    private typealias Encode = @Sendable (any Encodable & Sendable) throws -> Data

    /// Every encoder, with strategies that encode a date or data within itself.
    private static let encoders: [(name: String, encode: Encode)] = {
        let foundation = JSONEncoder()
        foundation.outputFormatting = [.sortedKeys, .prettyPrinted]
        foundation.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(date)
        }
        foundation.dataEncodingStrategy = .custom { data, encoder in
            var container = encoder.unkeyedContainer()
            try container.encode(data)
        }
        let transfer = TransferJSONEncoder(foundation)
        return [
            ("transfer", { try transfer.encode($0) }),
            ("Foundation", { try foundation.encodeWithinLimits($0) }),
            ("property list", { try PropertyListEncoder().encodeWithinLimits($0) }),
        ]
    }()

    @Test func `a value that contains itself in any way is an error with every encoder, on small and large stacks`() async {
        for way in Node.Way.allCases {
            for (name, encode) in Self.encoders where !(name == "property list" && (way == .date || way == .data)) {
                for stack in [128, 512, 8192] {
                    let error = await onThread(stackKiB: stack) { () -> String in
                        let node = Node.loop(way)
                        defer { node.next = nil }
                        do {
                            _ = try encode(node)
                            return "none"
                        } catch EncodingError.invalidValue(_, let context) {
                            return context.codingPath.count <= 8 ? context.debugDescription : "\(context.codingPath.count) keys"
                        } catch { return "\(error)" }
                    }
                    #expect(error.hasSuffix("or contains itself."), "\(way) \(name) \(stack): \(error)")
                }
            }
        }
    }

    @Test func `as many levels are encoded as are decoded, and one more is an error in both directions`() async throws {
        let limit = NestingLimit.maximumDepth
        for (name, encode) in Self.encoders where name != "property list" {
            let levels = name == "Foundation" ? NestingLimit.maximumFoundationDepth : limit
            let data = try encode(Tree.deep(levels))
            #expect(try TransferJSONDecoder().decode(Tree.self, from: data) == .deep(levels), "\(name)")
            let error = #expect(throws: EncodingError.self, "\(name)") { try encode(Tree.deep(levels + 1)) }
            #expect(error?.refusal?.contains("\(levels) levels deep") == true, "\(name)")
        }
        let deeper = Data((String(repeating: "[", count: limit + 1) + String(repeating: "]", count: limit + 1)).utf8)
        #expect(throws: DecodingError.self) { try TransferJSONDecoder().decode(Tree.self, from: deeper) }
    }

    @Test func `values as deep as the limit are encoded and decoded, or are errors, on every stack`() async throws {
        // Created and released on the large stack of this test.
        let tree = Tree.deep(NestingLimit.maximumDepth)
        for stack in [64, 128, 256, 512, 1024] {
            let texts = await onThread(stackKiB: stack) { () -> [String] in
                var texts = Self.encoders.map { name, encode in
                    do { return "\(name): \(try encode(tree).count)" } catch { return "\(name): \(error)" }
                }
                let text = Data((String(repeating: "[", count: 512) + String(repeating: "]", count: 512)).utf8)
                do { texts.append("\(try TransferJSONDecoder().decode(Tree.self, from: text) == .leaf(0))") } catch {
                    texts.append("\(error)")
                }
                // Containers that are opened without recursion are written by recursion.
                for value in [Flat(isObject: true), Flat(isObject: false)] {
                    texts += Self.encoders.map { name, encode in
                        do { return "\(name): \(try encode(value).count)" } catch { return "\(name): \(error)" }
                    }
                }
                return texts
            }
            #expect(texts.allSatisfy { $0.contains("contains itself") || !$0.contains("rror") }, "\(stack): \(texts)")
        }
        withExtendedLifetime(tree) {}
    }
}
