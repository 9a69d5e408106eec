import DataTransfer
import Foundation

/// Small documents over TLS: in HTTP/1.1 and HTTP/2 over connections that are kept, and each over a new connection. Ratios are those of
/// medians.
struct TLSBench {
    /// What is requested, by the name that it has in figures.
    private struct Row {
        var name: String
        var target: Target
        var levels: [Int]
        var ours: [Client]
        var others: [Client]
    }

    let servers: Servers
    let effort: Effort

    private func rows() -> [Row] {
        let others = [.c_loop] + Client.built([.ahc], for: "tls")
        let peers = others + Client.built([.go], for: "tls")
        var rows = [
            Row(
                name: "tls", target: servers.tls, levels: [1, 16, 64], ours: [.engine, .executor], others: peers),
            Row(name: "http2", target: servers.http2, levels: [1, 16, 64], ours: [.engine, .executor], others: others),
            // Each response ends its connection. libcurl and this engine resume TLS sessions.
            Row(
                name: "tls.connections", target: servers.tlsOnce, levels: [1, 16], ours: [.engine, .executor], others: peers),
        ]
        if let nghttpd = servers.nghttpd {
            rows.append(
                Row(name: "http2.nghttpd", target: nghttpd, levels: [1, 64], ours: [.engine, .executor], others: others))
        } else {
            say("note: nghttpd is missing (Debian's nghttp2-server); http2.nghttpd.* is left out")
        }
        return rows
    }

    func run() async throws {
        let rows = rows()
        let cells = rows.flatMap { row in
            row.levels.flatMap { level in (row.ours + row.others).map { Cell(client: $0, level: level, target: row.target) } }
        }
        let medians = try Rounds(effort).medians(of: cells)
        func sample(_ client: Client, _ level: Int, _ row: Row) -> Sample {
            medians[Cell(client: client, level: level, target: row.target)] ?? .none
        }
        for row in rows {
            for level in row.levels {
                for client in row.ours + row.others {
                    printFigures("\(row.name).c\(level).\(client)", sample(client, level, row))
                }
            }
        }
        for row in rows {
            for level in row.levels {
                for other in row.others {
                    printRatios("\(row.name).c\(level)", sample(.engine, level, row), vs: "\(other)", sample(other, level, row))
                    printRatios(
                        "\(row.name).c\(level)", of: "executor", sample(.executor, level, row), vs: "\(other)",
                        sample(other, level, row))
                }
            }
        }
        printFigure("tls.connections.resumed", try await resumedShare(), "x")
    }

    /// The share of new connections whose handshake resumes a session, as the server sees it.
    private func resumedShare() async throws -> Double {
        let session = SocketSessionManager(limit: 4, authority: servers.tlsOnce.authority)
        var resumed = 0
        let count = 100
        for _ in 0..<count {
            let response = try await session.response(for: NetworkRequest(url: servers.tlsOnce.url))
            if response.headers["X-Session-Reused"] == "r" { resumed += 1 }
        }
        return Double(resumed) / Double(count)
    }
}
