import Foundation

/// All clients at all levels, interleaved, so that a disturbance of the machine meets them alike. Ratios are those of medians.
struct Transport {
    private static let levels = [1, 16, 64, 256]
    /// The level of the figures that targets are set for.
    private static let busy = 64

    private let base: URL
    private let rounds: Rounds

    init(base: URL, effort: Effort) {
        self.base = base
        rounds = Rounds(effort)
    }

    func run() throws {
        let others = [.urlsession, .c_loop] + Client.built([.ahc, .go, .hyper, .node], for: "transport")
        let cells = cells(clients: [.engine, .engine_loops2, .executor, .executors, .stack] + others)
        report(try rounds.medians(of: cells), cells: cells, others: others)
    }

    /// All load the document, but two loops only where there is work for them. The stack is compared with the engine on a body that
    /// takes no time to decode, too.
    private func cells(clients: [Client]) -> [Cell] {
        Self.levels.flatMap { level in
            clients.filter { ![.engine_loops2, .executors].contains($0) || level >= Self.busy }.map { cell($0, level) }
        } + [cell(.engine, Self.busy, Document.tiny), cell(.stack, Self.busy, Document.tiny)]
    }

    private func cell(_ client: Client, _ level: Int, _ document: String = Document.name) -> Cell {
        Cell(client: client, level: level, target: Target(url: base.appendingPathComponent(document)))
    }

    private func report(_ medians: [Cell: Sample], cells: [Cell], others: [Client]) {
        for cell in cells {
            let suffix = cell.target.url.lastPathComponent == Document.tiny ? "_\(Document.tiny)" : ""
            printFigures("transport.c\(cell.level).\(cell.client)\(suffix)", medians[cell] ?? .none)
        }
        func sample(_ client: Client, _ level: Int, _ document: String = Document.name) -> Sample {
            medians[cell(client, level, document)] ?? .none
        }
        for level in Self.levels {
            for other in others {
                printRatios("transport.c\(level)", sample(.engine, level), vs: "\(other)", sample(other, level))
            }
        }
        for level in Self.levels {
            for other in [.engine] + others {
                printRatios("transport.c\(level)", of: "executor", sample(.executor, level), vs: "\(other)", sample(other, level))
            }
        }
        for level in Self.levels where level >= Self.busy {
            let (two, one) = (sample(.engine_loops2, level), sample(.engine, level))
            printFigure("transport.c\(level).loops2_rps_vs_engine", two.requestsPerSecond / one.requestsPerSecond, "x")
            printFigure("transport.c\(level).loops2_cpu_vs_engine", two.processorPerRequest / one.processorPerRequest, "x")
            printRatios(
                "transport.c\(level)", of: "executors", sample(.executors, level), vs: "executor", sample(.executor, level))
        }
        printFigure(
            "stack.c\(Self.busy).rps_vs_engine",
            sample(.stack, Self.busy, Document.tiny).requestsPerSecond
                / sample(.engine, Self.busy, Document.tiny).requestsPerSecond, "x")
        for level in Self.levels where level >= Self.busy {
            printFigure(
                "stack.c\(level).document_rps_vs_engine",
                sample(.stack, level).requestsPerSecond / sample(.engine, level).requestsPerSecond, "x")
        }
    }
}
