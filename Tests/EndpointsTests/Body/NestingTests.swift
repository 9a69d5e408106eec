import Endpoints
import Foundation
import Testing

/// Values that contain themselves or are nested deeply.
@Suite(.timeLimit(.minutes(10))) struct NestingTests {
    private final class Node: Encodable, @unchecked Sendable {
        var name = "node"
        var next: Node?
        var others: [Node] = []
    }

    /// Nests containers endlessly within one value.
    private struct Endless: Encodable, Sendable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try nest(&container, 0)
        }

        private func nest(_ container: inout any UnkeyedEncodingContainer, _ depth: Int) throws {
            try container.encode(depth)
            var inner = container.nestedUnkeyedContainer()
            try nest(&inner, depth + 1)
        }
    }

    private func chain(_ count: Int) -> Node {
        let first = Node()
        var last = first
        for _ in 1..<max(count, 2) {
            let next = Node()
            last.next = next
            last = next
        }
        return first
    }

    private static let loop: Node = {
        let node = Node()
        node.next = node
        return node
    }()

    private static let indirectLoop: Node = {
        let (one, other) = (Node(), Node())
        one.others = [other]
        other.others = [Node(), one]
        return one
    }()

    private func encodingError(of body: EndpointBody) -> RequestGenerationError? {
        do throws(RequestGenerationError) {
            _ = try body.content()
            return nil
        } catch {
            return error
        }
    }

    @Test func `a value that contains itself is an error with every encoder`() throws {
        for value in [Self.loop, Self.indirectLoop] {
            let bodies = [
                EndpointBody.json(value), .json(["value": value]), .form(value), .form(["value": value]),
                .encoded(value, by: PropertyListEncoder(), contentType: "application/x-plist"),
            ]
            for body in bodies {
                let error = try #require(encodingError(of: body))
                #expect(error.field == .body && error.reason.contains("levels deep"), "\(error)")
            }
        }
        let query = Endpoint<Void>(path: "a", queryParameters: ParameterList(Self.loop))
        let error = #expect(throws: RequestGenerationError.self) {
            try query.networkRequest(with: APIConfiguration("https://api.test"))
        }
        #expect(error?.reason.contains("512 levels deep") == true)
    }

    @Test func `containers that a value nests endlessly are an error`() throws {
        #expect(try #require(encodingError(of: .json(Endless()))).reason.contains("512 levels deep"))
    }

    @Test func `objects that one function opens in each other are encoded or an error on every stack`() async {
        struct Flat: Encodable, Sendable {
            private enum Key: CodingKey { case a }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                for _ in 1..<500 { container = container.nestedContainer(keyedBy: Key.self, forKey: .a) }
                try container.encode(1, forKey: .a)
            }
        }
        for stack in [64, 128, 512, 8192] {
            let text = await withCheckedContinuation { continuation in
                let thread = Thread {
                    let text: String
                    do { text = "\(try EndpointBody.form(Flat()).content().data?.count ?? 0)" } catch { text = "\(error)" }
                    continuation.resume(returning: text)
                }
                thread.stackSize = stack << 10
                thread.start()
            }
            #expect(stack == 8192 ? Int(text) ?? 0 > 500 : text.contains("too deeply for the stack"), "\(stack): \(text)")
        }
    }

    @Test func `a value of 512 nested levels is encoded on a task's thread, and one of 513 levels is an error`() async throws {
        // The innermost node contains an empty array, which is a level as well.
        let (most, more) = (chain(511), chain(512))
        let data = try await Task.detached { try EndpointBody.json(most).content().data }.value
        #expect(data?.count(where: { $0 == UInt8(ascii: "{") }) == 511)
        #expect(try #require(encodingError(of: .json(more))).reason.contains("nested more than 512 levels deep"))
    }

    @Test func `values can read the user information of their encoder`() throws {
        struct UserInfoReader: Encodable, Sendable {
            func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                try container.encode(try #require(encoder.userInfo[CodingUserInfoKey(rawValue: "k")!] as? String))
            }
        }
        let encoder = JSONEncoder()
        encoder.userInfo[CodingUserInfoKey(rawValue: "k")!] = "v"
        #expect(try EndpointBody.json(UserInfoReader(), encoder: encoder).content().data == Data(#""v""#.utf8))
    }

    @Test func `an error for a value that cannot be encoded says why and where`() throws {
        struct Failing: Encodable, Sendable {
            var error: EncodingError
            func encode(to encoder: any Encoder) throws { throw error }
        }
        let (late, early) = (Date(timeIntervalSince1970: 253_402_300_800), Date(timeIntervalSince1970: -62_167_219_201))
        let rows: [(any Encodable & Sendable, json: String, query: String)] = [
            (
                late, "unable to write the date: the year 10000 has more than four digits (RFC 3339), at \"d\"",
                "the year 10000 has more than four digits"
            ),
            (
                early, "unable to write the date: the year -1 is before the year 0000 (RFC 3339), at \"d\"",
                "the year -1 is before the year 0000"
            ),
            (Double.nan, "unable to encode Double.nan directly in JSON, at \"d\"", "it is not a finite number"),
            (Decimal.nan, "unable to encode Decimal.nan directly in JSON, at \"d\"", "it is not a finite number"),
            (
                Failing(error: .invalidValue(1, .init(codingPath: [], debugDescription: "Too small, password=S3CRET."))),
                "invalid Int (Too small, password=<redacted>)",
                "it cannot be encoded: invalid Int (Too small, password=<redacted>)"
            ),
        ]
        for (value, json, query) in rows {
            for encoder in [TransferJSONEncoder.json, TransferJSONEncoder()] {
                #expect(encodingError(of: .json(["d": value], encoder: encoder))?.reason == "it cannot be encoded: " + json)
            }
            #expect(
                encodingError(of: .form(["d": value]))?.reason.hasSuffix(query) == true,
                "\(String(describing: encodingError(of: .form(["d": value]))))")
        }
    }

    @Test func `an encoding error contains the coding path from the root`() throws {
        struct Broken: Encodable, Sendable {
            var inner = Double.nan
        }
        #expect(try #require(encodingError(of: .json(["outer": Broken()]))).description.contains("outer.inner"))
    }
}
