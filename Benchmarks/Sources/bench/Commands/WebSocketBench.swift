import Foundation

/// Messages that an echo server sends back, of 1 KB over 1 and 64 sockets, and of 1 MiB over one.
struct WebSocketBench {
    private static let levels = [1, 64]
    private static let ours: [Client] = [.websocket, .websocket_executor]

    private let base: URL
    private let rounds: Rounds

    init(base: URL, effort: Effort) {
        self.base = base
        rounds = Rounds(effort)
    }

    func run() throws {
        let others = Client.built([.nio_handler, .nio_async, .python], for: "websocket")
        let clients = Self.ours + others
        let cells =
            Self.levels.flatMap { level in clients.map { cell($0, level) } }
            + clients.filter { $0 != .python }.map { cell($0, 1, Document.mebibyte) }
        let medians = try rounds.medians(of: cells)
        for level in Self.levels { report(medians, level, Document.name, clients, "websocket.c\(level)") }
        report(medians, 1, Document.mebibyte, clients, "websocket.mebibyte")
    }

    private func cell(_ client: Client, _ level: Int, _ document: String = Document.name) -> Cell {
        Cell(client: client, level: level, target: Target(url: base.appendingPathComponent(document)))
    }

    private func report(_ medians: [Cell: Sample], _ level: Int, _ document: String, _ clients: [Client], _ name: String) {
        func sample(_ client: Client) -> Sample? { medians[cell(client, level, document)] }
        for client in clients {
            guard let sample = sample(client) else { continue }
            let title = "\(name).\(Self.title(client))"
            printFigures(title, sample)
            printFigure("\(title).server_share", sample.serverShare, "x")
            // Each message goes both ways.
            if document == Document.mebibyte { printFigure("\(title).mb_per_s", sample.requestsPerSecond * 1.048576, "MB/s") }
        }
        let nio = [sample(.nio_handler), sample(.nio_async)].compactMap { $0 }.max { $0.requestsPerSecond < $1.requestsPerSecond }
        for client in Self.ours {
            guard let sample = sample(client) else { continue }
            let prefix = client == .websocket ? "" : Self.title(client)
            if let nio { printRatios(name, of: prefix, sample, vs: "nio", nio) }
            if let python = medians[cell(.python, level, document)] {
                printRatios(name, of: prefix, sample, vs: "python", python)
            }
        }
    }

    /// The name in figures, which begin with `websocket` already.
    private static func title(_ client: Client) -> String {
        switch client {
        case .websocket: "engine"
        case .websocket_executor: "executor"
        default: client.rawValue
        }
    }
}
