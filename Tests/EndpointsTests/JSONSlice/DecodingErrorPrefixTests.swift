import Endpoints
import Foundation
import Testing

@Suite struct DecodingErrorPrefixTests {
    struct Item: Decodable { let title: String }

    @Test(
        arguments: [
            ("data.items[0]", #"{"data":{"items":[{"title":1}]}}"#, ["data", "items", "Index 0", "title"]),
            ("/data/0", #"{"data":{"0":{}}}"#, ["data", "0"]),
            ("/data/0", #"{"data":[null]}"#, ["data", "Index 0"]),
        ] as [(JSONKeyPath, String, [String])]
    )
    func `the coding path starts at the document's root`(path: JSONKeyPath, document: String, keys: [String]) throws {
        let (data, resolved) = try JSONSlicer().locate(path, in: Data(document.utf8))
        let error = try #require(throws: DecodingError.self) { try JSONDecoder().decode(Item.self, from: data) }
        #expect(error.prefixed(by: resolved).codingPath?.map(\.stringValue) == keys)
    }

    @Test func `an error with a prefix keeps its kind, description and underlying error`() {
        struct Underlying: Error {}
        let context = DecodingError.Context(
            codingPath: [AnyJSON.Key("title")], debugDescription: "text", underlyingError: Underlying())
        let errors: [DecodingError] = [
            .typeMismatch(Int.self, context), .valueNotFound(Int.self, context), .dataCorrupted(context),
            .keyNotFound(AnyJSON.Key("k"), context),
        ]
        for error in errors {
            let prefixed = error.prefixed(by: "data.items[3]")
            #expect(prefixed.codingPath?.map(\.stringValue) == ["data", "items", "Index 3", "title"])
            #expect(prefixed.codingPath?.map(\.intValue) == [nil, nil, 3, nil])
            switch (error, prefixed) {
            case (.typeMismatch(let old, _), .typeMismatch(let new, let context)),
                (.valueNotFound(let old, _), .valueNotFound(let new, let context)):
                #expect(old == new && context.debugDescription == "text" && context.underlyingError is Underlying)
            case (.keyNotFound(let old, _), .keyNotFound(let new, let context)):
                #expect(old.stringValue == new.stringValue && context.underlyingError is Underlying)
            case (.dataCorrupted, .dataCorrupted(let context)):
                #expect(context.debugDescription == "text" && context.underlyingError is Underlying)
            default: Issue.record("\(error) became \(prefixed)")
            }
        }
    }

    @Test func `a numeric pointer token is an index if the document is unknown`() {
        let error = DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: ""))
        #expect(error.prefixed(by: "/a/2/-/01").codingPath?.map(\.intValue) == [nil, 2, nil, nil])
    }
}

extension DecodingError {
    fileprivate var codingPath: [any CodingKey]? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context.codingPath
        @unknown default: nil
        }
    }
}
