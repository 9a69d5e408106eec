import DataTransfer
import Foundation
import NetworkTesting
import Testing

/// The reasons of decoding errors are the same with Foundation's decoder and with that of this package.
@Suite(.timeLimit(.minutes(10))) struct DecodingTextTests {
    struct Movie: Decodable, Sendable { var releaseDate: String }
    struct Snake: Decodable, Sendable { var release_date: String }
    struct Dated: Decodable, Sendable { var at: Date }
    struct Secret: Decodable, Sendable { var password: Date }
    struct Kept: Decodable, Sendable { var session: Movie }
    struct Small: Decodable, Sendable { var n: Int8 }
    struct Checked: Decodable, Sendable {
        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode([String: String].self)
            let words = "row 3 has 4 columns, password=hunter22."
            let path = decoder.codingPath + (text["in"].map { [Key(stringValue: $0)] } ?? [])
            throw DecodingError.dataCorrupted(.init(codingPath: path, debugDescription: text["say"] ?? words))
        }
    }
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
    /// A decoder with unknown strategies.
    struct Other: JSONDataDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "no line"))
        }
    }

    typealias Row = (
        type: any (Decodable & Sendable).Type, document: String, setUp: (JSONDecoder) -> Void, has: [String], lacks: [String]
    )

    private typealias Add = (
        any (Decodable & Sendable).Type, String, _ has: [String], _ lacks: [String], @escaping (JSONDecoder) -> Void
    ) -> Void

    /// Types and documents, with strategies, what the reason has and what it has not.
    private static func rows() -> [Row] {
        var rows: [Row] = []
        func add(
            _ type: any (Decodable & Sendable).Type, _ document: String, _ has: [String], _ lacks: [String],
            _ setUp: @escaping (JSONDecoder) -> Void
        ) {
            rows.append((type, document, setUp, has, lacks))
        }
        addKeys(add)
        addDates(add)
        add(Checked.self, "{}", ["row 3 has 4 columns, password=<redacted>"], ["malformed", "hunter22"]) { _ in }
        add(Checked.self, #"{"in":"rows","say":"no such row"}"#, ["no such row"], ["malformed"]) { _ in }
        add(Checked.self, #"{"in":"password","say":"hunter22 is too short"}"#, ["malformed value"], ["hunter22"]) { _ in }
        add(Small.self, #"{"n":300}"#, ["Number 300 is not representable in Swift as Int8 at byte 5"], ["malformed"]) { _ in }
        add(Movie.self, #"{"a":"#, ["malformed document at byte 5"], []) { _ in }
        add(Movie.self, "row 3", ["malformed document at byte 0"], []) { _ in }
        add(Movie.self, "[]", ["not Dictionary<String, Any> at byte 0", "an array of 0"], []) { _ in }
        return rows
    }

    private static func addKeys(_ add: Add) {
        let snake = { (decoder: JSONDecoder) in decoder.keyDecodingStrategy = .convertFromSnakeCase }
        let none = { (_: JSONDecoder) in }
        let finds = "\"release_date\" is there, which the keyDecodingStrategy .convertFromSnakeCase finds"
        let keys = "the keys there are \"release_date\", \"id\""
        add(
            Movie.self, #"{"release_date":"x","id":1}"#, ["no value for the key \"releaseDate\" at byte 0", finds, keys], [], none
        )
        add(Movie.self, #"{"ReleaseDate":"x"}"#, ["\"ReleaseDate\" is there, which differs in upper and lower case"], [], none)
        add(Movie.self, #"{"release-date":"x"}"#, ["\"release-date\" is there, which differs in case and separators"], [], none)
        add(Movie.self, #"{"Release-Date":1,"releasedate":1,"release_date":1}"#, [finds], [], none)
        add(Snake.self, #"{"release_date":"x"}"#, [".useDefaultKeys finds it"], [], snake)
        add(Movie.self, #"{"other":1}"#, ["the keys there are \"other\""], ["is there"], snake)
        add(Movie.self, "{}", ["an object with 0 keys"], ["the keys there"], none)
        let many = "{" + (0..<1000).map { #""member\#($0)":1"# }.joined(separator: ",") + "}"
        add(Movie.self, many, ["\"member0\", \"member1\"", " more"], ["member30"], none)
        let content = #"{"eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmVk":1,"4111111111111111":2}"#
        add(Movie.self, content, ["the keys there are"], ["eyJ", "4111", "c2ln"], none)
        let kept = #"{"session":{"hunter22":1,"release_date":2}}"#
        add(Kept.self, kept, ["no value for the key"], ["hunter22", "release_date"], none)
    }

    private static func addDates(_ add: Add) {
        let seconds = { (decoder: JSONDecoder) in decoder.dateDecodingStrategy = .secondsSince1970 }
        let milliseconds = { (decoder: JSONDecoder) in decoder.dateDecodingStrategy = .millisecondsSince1970 }
        let iso8601 = { (decoder: JSONDecoder) in decoder.dateDecodingStrategy = .iso8601 }
        let late = #"{"at":"31.12.2026"}"#
        let deferred = "not a date in the format of seconds since 2001 (.deferredToDate)"
        add(Dated.self, late, [deferred, "at byte 6 (line 1, column 7)", "\"31.12.2026\""], [], { _ in })
        add(Dated.self, late, ["seconds since 1970", "\"31.12.2026\""], [], seconds)
        add(Dated.self, #"{"at":true}"#, ["milliseconds since 1970", "found true"], [], milliseconds)
        add(Dated.self, late, ["ISO 8601, such as 2026-02-03T04:05:06Z", "\"31.12.2026\""], [], iso8601)
        add(Dated.self, #"{"at":12}"#, ["ISO 8601", "found number 12"], [], iso8601)
        add(Dated.self, #"{"at":null}"#, ["null where Date is expected"], [], iso8601)
        add(Secret.self, #"{"password":"hunter22"}"#, ["not a date"], ["hunter22"], iso8601)
        add(Dated.self, #"{"at":"Bearer abcdef.ghi"}"#, ["not a date", "<redacted>"], ["abcdef"], iso8601)
        let long = String(repeating: "x", count: 40)
        add(Dated.self, #"{"at":"\#(long + long + long)"}"#, [long + "…"], [long + "x"], iso8601)
        add(Dated.self, #"{"at":"soon"}"#, ["not a date (no such day)", "\"soon\""], []) { decoder in
            decoder.dateDecodingStrategy = .custom { decoder in
                throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "no such day"))
            }
        }
        add(Dated.self, #"{"at":1}"#, ["not a date", "found number 1"], []) { decoder in
            decoder.dateDecodingStrategy = .custom { decoder in
                let text = try decoder.singleValueContainer().decode(String.self)
                return Date(timeIntervalSince1970: Double(text) ?? 0)
            }
        }
    }

    private func reason<Value: Decodable & Sendable>(
        _ type: Value.Type, _ document: String, _ decoder: any JSONDataDecoder, keyPath: JSONKeyPath? = nil
    ) async throws -> ParsingFailure {
        let session = StubSessionManager()
        session.enqueue(.json(document))
        let service = DefaultDataTransferService(configuration: try APIConfiguration("https://api.test"), sessionManager: session)
        let json = keyPath.map { JSONResponseDecoder.keyPath($0, decoder: decoder) } ?? JSONResponseDecoder.json(decoder)
        do {
            _ = try await service.request(Endpoint<Value>(path: "x", responseDecoder: json))
            throw DownloadDidNotFail()
        } catch let error as DataTransferError {
            guard case .parsing(let failure) = error else { throw error }
            return failure
        }
    }

    @Test func `a reason says what is there and what was wanted, whichever decoder is used`() async throws {
        for (type, document, setUp, has, lacks) in Self.rows() {
            let foundation = JSONDecoder()
            setUp(foundation)
            let failures = [
                try await reason(type, document, foundation), try await reason(type, document, TransferJSONDecoder(foundation)),
            ]
            for failure in failures {
                for part in has { #expect(failure.reason.contains(part), "\(document.prefix(80)): \(failure)") }
                for part in lacks { #expect(!failure.reason.contains(part), "\(document.prefix(80)): \(failure)") }
                #expect(failure.underlying is DecodingError && failure.reason.utf8.count < 500)
            }
            #expect(failures[0].reason == failures[1].reason)
            // Bytes are counted from the beginning of the document.
            let inside = try await reason(type, "{\"a\": [\(document)]}", foundation, keyPath: "a[0]")
            let other = try await reason(type, "{\"a\": [\(document)]}", TransferJSONDecoder(foundation), keyPath: "a[0]")
            #expect(inside.reason == other.reason && inside.codingPath == other.codingPath, "\(document.prefix(80))")
        }
    }

    @Test func `the default date format of this package is in the reason`() async throws {
        let failure = try await reason(Dated.self, #"{"at":"2026-02-03"}"#, TransferJSONDecoder())
        #expect(
            failure.reason.hasPrefix("not a date in the format RFC 3339, such as 2026-02-03T04:05:06Z at byte 6"), "\(failure)")
        #expect(failure.codingPath == "at" && failure.reason.hasSuffix("\"2026-02-03\""), "\(failure)")
    }

    @Test func `the error of another decoder says what that says, and where the document is malformed`() async throws {
        #expect(try await reason(Movie.self, "{}", Other()).reason == "no line")
        #expect(try await reason(Movie.self, "{", Other()).reason.hasPrefix("malformed document at byte 1"))
    }
}
