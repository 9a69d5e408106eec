import Foundation

/// All clients at all levels, interleaved, so that a disturbance of the machine meets them alike. Ratios are those of medians.
struct Transport {
    private struct Cell: Hashable {
        var client: Client
        var level: Int
        var document: String
    }

    private static let levels = [1, 16, 64, 256]
    /// The level of the figures that targets are set for.
    private static let busy = 64

    private let base: URL
    private let rounds: Int
    private let seconds: Double

    init(base: URL, effort: Effort) {
        self.base = base
        (rounds, seconds) =
            switch effort {
            case .full: (5, 1.5)
            case .quick: (3, 0.4)
            case .smoke: (1, 0.1)
            }
    }

    func run() throws {
        var samples: [Cell: [Sample]] = [:]
        for round in 1...rounds {
            for cell in Self.cells {
                let url = base.appendingPathComponent(cell.document)
                let sample = try Sample.measure(cell.client, level: cell.level, url: url, seconds: seconds)
                samples[cell, default: []].append(sample)
            }
            say("round \(round) of \(rounds)")
        }
        report(samples.mapValues(Self.median))
    }

    /// All load the document, but two loops only where there is work for them. The stack is compared with the engine on a body that
    /// takes no time to decode, too.
    private static let cells: [Cell] =
        levels.flatMap { level in
            Client.allCases.filter { ![.pipeline, .service, .cached].contains($0) && ($0 != .engine_loops2 || level >= busy) }
                .map { Cell(client: $0, level: level, document: Document.name) }
        }
        + [Client.engine, .stack].map { Cell(client: $0, level: busy, document: Document.tiny) }

    private static func median(_ samples: [Sample]) -> Sample {
        Sample(
            requestsPerSecond: samples.map(\.requestsPerSecond).median,
            processorPerRequest: samples.map(\.processorPerRequest).median)
    }

    private func report(_ medians: [Cell: Sample]) {
        for cell in Self.cells {
            guard let sample = medians[cell] else { continue }
            let suffix = cell.document == Document.tiny ? "_\(cell.document)" : ""
            printFigure("transport.c\(cell.level).\(cell.client)\(suffix).rps", sample.requestsPerSecond, "1/s")
            printFigure("transport.c\(cell.level).\(cell.client)\(suffix).cpu", sample.processorPerRequest, "us")
        }
        func sample(_ client: Client, _ level: Int, _ document: String = Document.name) -> Sample {
            let cell = Cell(client: client, level: level, document: document)
            return medians[cell] ?? Sample(requestsPerSecond: .nan, processorPerRequest: .nan)
        }
        for level in Self.levels {
            let engine = sample(.engine, level)
            for other in [Client.urlsession, .ahc, .c_loop] {
                let sample = sample(other, level)
                printFigure(
                    "transport.c\(level).rps_vs_\(other)", engine.requestsPerSecond / sample.requestsPerSecond, "x")
                printFigure(
                    "transport.c\(level).cpu_vs_\(other)", engine.processorPerRequest / sample.processorPerRequest, "x")
            }
        }
        for level in Self.levels where level >= Self.busy {
            let (two, one) = (sample(.engine_loops2, level), sample(.engine, level))
            printFigure("transport.c\(level).loops2_rps_vs_engine", two.requestsPerSecond / one.requestsPerSecond, "x")
            printFigure("transport.c\(level).loops2_cpu_vs_engine", two.processorPerRequest / one.processorPerRequest, "x")
        }
        printFigure(
            "stack.c\(Self.busy).rps_vs_engine",
            sample(.stack, Self.busy, Document.tiny).requestsPerSecond
                / sample(.engine, Self.busy, Document.tiny).requestsPerSecond, "x")
        printFigure(
            "stack.c\(Self.busy).document_rps_vs_engine",
            sample(.stack, Self.busy).requestsPerSecond / sample(.engine, Self.busy).requestsPerSecond, "x")
    }
}
