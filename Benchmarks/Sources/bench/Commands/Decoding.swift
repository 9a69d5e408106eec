import DataTransfer
import Foundation

/// What it costs to find values in bytes: one at a key path of a large document, and those of a stream. Without a network.
struct Decoding {
    /// As large as a chunk that the engine hands over may be.
    private static let chunkBytes = 64 << 10

    private let rounds: Int
    private let document: Catalogue

    init(effort: Effort) {
        rounds = effort == .full ? 25 : effort == .quick ? 9 : 3
        document = Catalogue()
    }

    func run() throws {
        try keyPaths()
        try streams()
    }

    private func keyPaths() throws {
        let body = ResponseData(document.data, contentType: "application/json")
        let small = JSONResponseDecoder.keyPath("data.summary")
        let large = JSONResponseDecoder.keyPath("data.items")
        let decoder = JSONDecoder()
        let items = try JSONSlicer().slice(of: document.data, at: "data.items")
        let times = try Timing.interleaved(
            rounds: rounds,
            [
                { try expect(small.decode(Summary.self, from: body).count, document.count) },
                { try expect(Self.viaSerialization(document.data).count, document.count) },
                { try expect(decoder.decode(Nested.self, from: document.data).summary.count, document.count) },
                { try expect(large.decode([Item].self, from: body).count, document.count) },
                { try expect(decoder.decode([Item].self, from: items).count, document.count) },
            ])
        printFigure("decoding.keypath_small_ms", times[0] * 1e3, "ms")
        printFigure("decoding.keypath_small_vs_jsonserialization", times[1] / times[0], "x")
        printFigure("decoding.keypath_small_vs_jsondecoder", times[2] / times[0], "x")
        printFigure("decoding.keypath_large_vs_slice", times[3] / times[4], "x")
    }

    /// As it is done where nobody can cut a slice.
    private static func viaSerialization(_ data: Data) throws -> Summary {
        let root = try JSONSerialization.jsonObject(with: data) as? [String: Any]
        let summary = (root?["data"] as? [String: Any])?["summary"] ?? [:]
        return try JSONDecoder().decode(Summary.self, from: JSONSerialization.data(withJSONObject: summary))
    }

    private func streams() throws {
        let elements = chunks(document.data)
        let lines = chunks(document.lines)
        let events = chunks(document.events)
        let sequence = chunks(document.sequence)
        let times = try Timing.interleaved(
            rounds: rounds,
            [
                { try expect(Self.count(NDJSONParser(), lines), document.count) },
                { try expect(Self.count(StreamFormat.serverSentEvents().makeParser(), events), document.count) },
                { try expect(Self.count(JSONElementParser(at: "data.items"), elements), document.count) },
                { try expect(Self.count(StreamFormat.lines().makeParser(), lines), document.count) },
                { try expect(Self.count(JSONSequenceParser(), sequence), document.count) },
                { try expect(Self.count(StreamFormat.ndjson(Item.self).makeParser(), lines), document.count) },
                {
                    try expect(
                        Self.count(StreamFormat.elements(of: Item.self, at: "data.items").makeParser(), elements),
                        document.count)
                },
            ])
        let sizes = [
            document.lines, document.events, document.data, document.lines, document.sequence, document.lines, document.data,
        ].map(\.count)
        let names = ["ndjson", "sse", "elements", "lines", "json_sequence", "ndjson_decoded", "elements_decoded"]
        for (name, (size, time)) in zip(names, zip(sizes, times)) {
            printFigure("decoding.\(name)_mb_per_s", Double(size) / time / 1e6, "MB/s")
        }
    }

    private func chunks(_ data: Data) -> [Data] {
        stride(from: 0, to: data.count, by: Self.chunkBytes).map { Data(data[$0..<min($0 + Self.chunkBytes, data.count)]) }
    }

    private static func count<Element>(_ parser: any StreamParser<Element>, _ chunks: [Data]) throws -> Int {
        var parser = parser
        var count = 0
        for chunk in chunks {
            parser.receive(chunk)
            while try parser.next() != nil { count += 1 }
        }
        parser.finish()
        while try parser.next() != nil { count += 1 }
        return count
    }
}

private func expect(_ found: Int, _ expected: Int) {
    if found != expected { fail("\(found) instead of \(expected)") }
}

/// 7.5 MB of JSON: a small object behind a large array.
private struct Catalogue {
    let count: Int
    let data: Data
    let lines: Data
    let events: Data
    let sequence: Data

    init() {
        var items: [String] = []
        var size = 0
        while size < 7_500_000 {
            let id = items.count
            items.append(
                #"{"id":\#(id),"title":"The Bridge of San Luis Rey, part \#(id % 97)","year":\#(1900 + id % 120),"rating":\#(id % 10).5,"#
                    + #""genres":["drama","noir"],"overview":"Five people die; a monk asks why. \"Love\" \#(id)","adult":false}"#)
            size += items[id].utf8.count + 1
        }
        count = items.count
        data = Data(
            #"{"page":1,"data":{"items":[\#(items.joined(separator: ","))],"summary":{"count":\#(count),"name":"all of them"}}}"#
                .utf8)
        lines = Data((items.joined(separator: "\n") + "\n").utf8)
        events = Data(items.enumerated().map { "id: \($0)\nevent: movie\ndata: \($1)\n\n" }.joined().utf8)
        sequence = Data(items.map { "\u{1E}\($0)\n" }.joined().utf8)
    }
}

private struct Item: Decodable, Sendable {
    let id: Int
    let title: String
    let year: Int
    let rating: Double
    let genres: [String]
}

private struct Summary: Decodable {
    let count: Int
    let name: String
}

/// The summary by nested containers, as one decodes it without key paths.
private struct Nested: Decodable {
    let summary: Summary

    private enum Keys: CodingKey {
        case data, summary
    }

    init(from decoder: any Decoder) throws {
        let data = try decoder.container(keyedBy: Keys.self).nestedContainer(keyedBy: Keys.self, forKey: .data)
        summary = try data.decode(Summary.self, forKey: .summary)
    }
}
