import DataTransfer
import Foundation

/// A single GET to any server, which prints status, timings, and the body or the value at a key path.
struct SingleRequest {
    var server: String
    var path: String
    var keyPath: String?

    func run() async throws {
        let configuration = try APIConfiguration(server)
        Terminal.waits(for: "a response from \(configuration.baseURL.host(percentEncoded: true) ?? server)")
        let service = DefaultDataTransferService(configuration: configuration)
        let response = try await service.response(for: Endpoint<ResponseData>(path: path) { $0 })
        let body = response.value
        Terminal.say(Terminal.describe(response.statusCode, response.timings))
        if let keyPath {
            let value = try ValueAtPath(keyPath, in: body)
            Terminal.print(verbatim: String(decoding: value.text, as: UTF8.self))
        } else {
            Terminal.print(
                verbatim: Redaction.default.redacted(body: body.data, contentType: body.contentType, maximumBytes: 10_000))
        }
    }
}

/// The value at a key path of a JSON document. If the document has no such value, the error lists what it has.
struct ValueAtPath {
    /// Why there is no value at the path, and what is there instead.
    struct Missing: Error, CustomStringConvertible {
        let description: String
    }

    /// The maximum number of members that an error lists.
    private static let maximumNames = 200

    /// The value as JSON.
    let text: Data

    init(_ keyPath: String, in body: ResponseData) throws(Missing) {
        do throws(JSONSliceError) {
            text = try JSONSlicer().slice(of: body.data, at: JSONKeyPath(keyPath))
        } catch {
            let path = keyPath.printable(limit: 200)
            throw Missing(description: "Nothing is at \"\(path)\": \(Self.reason(error, body)).")
        }
    }

    private static func reason(_ error: JSONSliceError, _ body: ResponseData) -> String {
        switch error.kind {
        case .malformedPath(let offset, let reason): "the key path is malformed at its byte \(offset), \(reason)"
        case .emptyDocument: "the response has no body"
        case .malformedDocument, .depthExceeded:
            "the response is not JSON that can be read; its Content-Type is \((body.contentType ?? "missing").printable)"
        case .pathNotFound(let missing, let parent, _):
            "\(place(parent)) has no member \"\(missing.printable)\"; \(members(of: parent, in: body.data))"
        case .indexOutOfRange(_, 0, let parent): "\(place(parent)) is an empty array"
        case .indexOutOfRange(_, let count, let parent):
            "\(place(parent)) is an array of \(count) elements, from [0] to [\(count - 1)]"
        case .typeMismatch(.object, .array, let parent):
            "\(place(parent)) is an array, whose elements have paths such as \(parent.text.printable(limit: 200))[0]"
        case .typeMismatch(.array, .object, let parent): "\(place(parent)) is an object; \(members(of: parent, in: body.data))"
        case .typeMismatch(_, let found, let parent):
            "\(place(parent)) is a value of the type \(found.rawValue), which contains no others"
        }
    }

    private static func place(_ path: JSONKeyPath) -> String {
        path.components.isEmpty ? "the document" : "\"\(path.text.printable(limit: 200))\""
    }

    /// Says which members an object has, in alphabetical order.
    private static func members(of path: JSONKeyPath, in document: Data) -> String {
        let names = (try? TransferJSONDecoder().decode(Names.self, from: JSONSlicer().slice(of: document, at: path)).all) ?? []
        guard !names.isEmpty else { return "it has no members" }
        let shown = names.sorted().prefix(maximumNames).map(\.printable).joined(separator: ", ")
        return "its members are \(shown)" + (names.count > maximumNames ? ", and \(names.count - maximumNames) more" : "")
    }

    private struct Names: Decodable {
        struct Name: CodingKey {
            let stringValue: String
            var intValue: Int? { nil }

            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        let all: [String]

        init(from decoder: any Decoder) throws {
            all = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
        }
    }
}
