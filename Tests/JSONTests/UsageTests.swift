import Foundation
import NetworkJSON
import NetworkSupport
import Testing

@Suite struct `Usage` {
    struct User: Decodable { var name: String }

    @Test func `documents, values under a path and streams are decoded`() throws {
        let data = Data(#"[{"name":"Ada"}]"#.utf8)
        let decoder = TransferJSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        let users = try decoder.decode([User].self, from: data)
        #expect(users.map(\.name) == ["Ada"])

        let nested = PaddedBytes(Data(#"{"data":{"names":["Ada"]}}"#.utf8))
        let names = try decoder.scan(nested) { try $0.decode([String].self, under: "data.names") }
        #expect(names == ["Ada"])
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    struct Configured: Codable, DecodableWithConfiguration, EncodableWithConfiguration, Equatable {
        var text: String

        init(text: String) { self.text = text }
        init(from decoder: any Decoder, configuration: String) throws {
            text = configuration + (try decoder.singleValueContainer().decode(String.self))
        }
        func encode(to encoder: any Encoder, configuration: String) throws {
            var container = encoder.singleValueContainer()
            try container.encode(configuration + text)
        }
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
    @Test func `a configuration is passed on`() throws {
        let value = try TransferJSONDecoder().decode(Configured.self, from: Data("\"b\"".utf8), configuration: "a")
        #expect(value.text == "ab")
        #expect(try TransferJSONEncoder().encode(value, configuration: "x") == Data("\"xab\"".utf8))
    }
}
