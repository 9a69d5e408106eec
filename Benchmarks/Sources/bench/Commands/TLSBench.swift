import Foundation

/// Small documents over TLS, in HTTP/1.1 and HTTP/2, over connections that are kept. Ratios are those of medians.
struct TLSBench {
    private static let levels = [1, 64]

    let servers: Servers
    let effort: Effort

    func run() throws {
        let go = GoClient.clients(insteadOf: "tls.*_vs_go")
        let others = [Client.ahc, .c_loop] + go
        let cells = Self.levels.flatMap { level in
            ([.engine] + others).map { Cell(client: $0, level: level, target: servers.tls) }
                + [.engine, .c_loop].map { Cell(client: $0, level: level, target: servers.http2) }
        }
        let medians = try Rounds(effort).medians(of: cells)
        func sample(_ client: Client, _ level: Int, _ target: Target) -> Sample {
            medians[Cell(client: client, level: level, target: target)] ?? .none
        }
        for level in Self.levels {
            for client in [.engine] + others {
                printFigures("tls.c\(level).\(client)", sample(client, level, servers.tls))
            }
        }
        for level in Self.levels {
            printFigures("http2.c\(level)", sample(.engine, level, servers.http2))
            printFigures("http2.c\(level).c_loop", sample(.c_loop, level, servers.http2))
        }
        for level in Self.levels {
            for other in others {
                printRatios(
                    "tls.c\(level)", sample(.engine, level, servers.tls), vs: "\(other)", sample(other, level, servers.tls))
            }
        }
        for level in Self.levels {
            printRatios(
                "http2.c\(level)", sample(.engine, level, servers.http2), vs: "c_loop", sample(.c_loop, level, servers.http2))
        }
    }
}
