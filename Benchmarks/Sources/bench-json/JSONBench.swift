import Dispatch
import Endpoints
import Foundation
import JSONDocuments
import NetworkSupport

/// Compares decoding and encoding with Foundation's, without a network.
///
/// Ratios are Foundation's processor time over ours; both run alternately in this process, and each figure is a ratio of medians.
struct JSONBench {
    let measuring: Measuring
    /// Only rows whose name contains it; nil for all.
    let filter: String?

    func run() throws {
        let twitter = Generators.twitter()
        let text = try TransferJSONEncoder().encode(twitter)
        try row("1kb", APIDocument.make())
        try row("1kb_shuffled", APIDocument.make(), shuffled: true)
        try row("1kb_snake_case", APIDocument.make(), snakeCase: true)
        // Keys that begin with underscores, as of some databases.
        try row("underscores", StoredItem.list(), snakeCase: true)
        try row("100kb_rich", RichItem.list(), dates: true)
        try row("100kb_plain", PlainItem.list())
        try row("twitter", twitter, text: text)
        // Errors are created and caught for every value: each type is tried in turn.
        try row("any", try JSONDecoder().decode(AnyValue.self, from: text), text: text)
        // The same with models, which lack a key of most objects.
        try row("enum", PageElement.list())
        try row("citm", Generators.catalog())
        try row("canada", Generators.canada())
        try row("ints", Generators.integers())
        try row("doubles", Generators.doubles())
        try row("strings", Generators.strings())
        try row("dictionary", Generators.dictionary())
        try lines()
        try scaling()
    }

    private func wants(_ name: String) -> Bool { filter.map { name.contains($0) } ?? true }

    private func row<T: Codable & Equatable>(
        _ name: String, _ value: T, text: Data? = nil, dates: Bool = false, shuffled: Bool = false, snakeCase: Bool = false
    ) throws {
        guard wants(name) else { return }
        let (foundationEncoder, foundationDecoder) = (JSONEncoder(), JSONDecoder())
        if snakeCase {
            foundationEncoder.keyEncodingStrategy = .convertToSnakeCase
            foundationDecoder.keyDecodingStrategy = .convertFromSnakeCase
        }
        if dates {
            foundationEncoder.dateEncodingStrategy = .iso8601
            foundationDecoder.dateDecodingStrategy = .iso8601
        }
        // Keys in the order of their declaration, as usual, or in Foundation's, which is random.
        let data = try text ?? (shuffled ? foundationEncoder.encode(value) : TransferJSONEncoder(foundationEncoder).encode(value))
        let decoder = TransferJSONDecoder(foundationDecoder)
        guard try decoder.decode(T.self, from: data) == value else { fail("\(name): a different value is decoded") }
        try compare(
            "json.decode.\(name)", { blackHole(try decoder.decode(T.self, from: data)) },
            { blackHole(try foundationDecoder.decode(T.self, from: data)) })
        var padded = PaddedBuffer()
        data.withUnsafeBytes { padded.append($0) }
        let text = padded.take()
        let seconds = try measuring.seconds { blackHole(try decoder.decode(Skipped.self, from: text)) }
        printFigure("json.scan.\(name)_mb_per_s", Double(data.count) / seconds / 1e6, "MB/s")
        guard !shuffled else { return }
        let encoder = TransferJSONEncoder(foundationEncoder)
        guard try foundationDecoder.decode(T.self, from: encoder.encode(value)) == value else {
            fail("\(name): a different value is encoded")
        }
        try compare(
            "json.encode.\(name)", { blackHole(try encoder.encode(value)) }, { blackHole(try foundationEncoder.encode(value)) })
    }

    private func compare(_ name: String, _ ours: () throws -> Void, _ foundation: () throws -> Void) throws {
        let times = try measuring.interleaved(ours, foundation)
        printFigure("\(name)_vs_foundation", times.b / times.a, "x")
        printFigure("\(name)_us", times.a * 1e6, "us")
        printFigure("\(name)_allocations", Double(try allocations(of: ours)), "allocations")
        printFigure("\(name)_allocations_foundation", Double(try allocations(of: foundation)), "allocations")
    }

    /// Lines that arrive in pieces of 16 KiB and are decoded one by one.
    private func lines() throws {
        guard wants("ndjson") else { return }
        let encoder = JSONEncoder()
        var text = Data()
        for item in PlainItem.list(3000) { text += try encoder.encode(item) + [0x0A] }
        let document = Data("{\"data\":[".utf8) + text.dropLast().map { $0 == 0x0A ? 0x2C : $0 } + Data("]}".utf8)
        func pieces(_ data: Data) -> [Data] {
            stride(from: 0, to: data.count, by: 16 << 10).map { Data(data[$0..<min(data.count, $0 + 16 << 10)]) }
        }
        func stream(_ format: StreamFormat<PlainItem>, _ pieces: [Data]) throws {
            var parser = format.makeParser()
            var count = 0
            for piece in pieces {
                parser.receive(piece)
                while try parser.next() != nil { count += 1 }
            }
            parser.finish()
            while try parser.next() != nil { count += 1 }
            guard count == 3000 else { fail("\(count) values instead of 3000") }
        }
        let (linePieces, elementPieces) = (pieces(text), pieces(document))
        let decoder = JSONDecoder()
        let times = try measuring.interleaved({ try stream(.ndjson(), linePieces) }) {
            for line in text.split(separator: 0x0A) { blackHole(try decoder.decode(PlainItem.self, from: line)) }
        }
        printFigure("json.decode.ndjson_vs_foundation", times.b / times.a, "x")
        printFigure("json.decode.ndjson_mb_per_s", Double(text.count) / times.a / 1e6, "MB/s")
        let seconds = try measuring.seconds { try stream(.elements(at: "data"), elementPieces) }
        printFigure("json.decode.elements_mb_per_s", Double(document.count) / seconds / 1e6, "MB/s")
    }

    /// 64 tasks that decode with one decoder: the rate of two threads over that of one, by elapsed time. Beside them, in turns, tasks that have
    /// a decoder and a document each: what two threads can reach at this moment, on a machine whose processors may share a core.
    private func scaling() throws {
        guard wants("scaling") else { return }
        let data = try JSONEncoder().encode(APIDocument.make())
        let decoder = TransferJSONDecoder()
        let calls = max(10, Int(measuring.duration * 50_000))
        @Sendable func decode(_ decoder: TransferJSONDecoder, _ data: Data) {
            for _ in 0..<calls { blackHole(try? decoder.decode(APIDocument.self, from: data)) }
        }
        @Sendable func decodeShared() { decode(decoder, data) }
        @Sendable func decodeAlone() { decode(TransferJSONDecoder(), Data(Array(data))) }
        func seconds(threads: Int, _ task: @Sendable () -> Void) -> Double {
            let start = ContinuousClock.now
            DispatchQueue.concurrentPerform(iterations: threads) { _ in for _ in 0..<(64 / threads) { task() } }
            let elapsed = (ContinuousClock.now - start).components
            return Double(elapsed.seconds) + Double(elapsed.attoseconds) / 1e18
        }
        decodeShared()
        var (scaling, machine, ratio): ([Double], [Double], [Double]) = ([], [], [])
        for _ in 0..<(measuring.rounds * 3) {
            let (one, two) = (seconds(threads: 1, decodeShared), seconds(threads: 2, decodeShared))
            let (aloneOne, aloneTwo) = (seconds(threads: 1, decodeAlone), seconds(threads: 2, decodeAlone))
            scaling.append(one / two)
            machine.append(aloneOne / aloneTwo)
            ratio.append(aloneTwo / two)
        }
        printFigure("json.scaling_2cores", scaling.median, "x")
        printFigure("json.scaling_2cores_machine", machine.median, "x")
        printFigure("json.shared_vs_separate_decoders", ratio.median, "x")
    }
}

/// A value that is validated but not decoded.
struct Skipped: Decodable {
    init(from decoder: any Decoder) {}
}
