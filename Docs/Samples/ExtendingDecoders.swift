import DataTransfer
import Foundation

let api = try APIConfiguration("https://api.example.com/3")
let service = DefaultDataTransferService(configuration: api)

// snippet.decoder
struct RowDecoder: ResponseDecoder {
    var acceptedMediaTypes: AcceptedMediaTypes { ["text/csv"] }

    func decode<Value: Decodable>(_ type: Value.Type, from body: ResponseData)
        throws -> Value
    {
        let lines = String(decoding: body.data, as: UTF8.self)
            .split(whereSeparator: \.isNewline)
        let rows = lines.map { line in
            line.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init)
        }
        guard let value = rows as? Value else {
            throw DecodingError.typeMismatch(
                type,
                DecodingError.Context(
                    codingPath: [], debugDescription: "rows are [[String]]"))
        }
        return value
    }
}

let report = Endpoint<[[String]]>(path: "report", responseDecoder: RowDecoder())
print(try await service.request(report).count)
// snippet.end
