import Foundation

/// The clients in other languages. Each is a separate program that has the same arguments and prints the same two numbers; `Scripts/bench`
/// builds them where there is a toolchain: `Go/main.go`, `Hyper/src/main.rs`, `Node/client.mjs`, `Python/client.py`.
extension Client {
    /// The program of a client in another language, if it was built. A variable such as `BENCH_GO_CLIENT` names it.
    var program: URL? {
        guard isPeer, let path = ProcessInfo.processInfo.environment["BENCH_\(rawValue.uppercased())_CLIENT"], !path.isEmpty
        else { return nil }
        return URL(fileURLWithPath: path)
    }

    /// Whether the client is in another language.
    var isPeer: Bool { [.go, .hyper, .node, .python].contains(self) }

    /// Returns the clients that were built, and prints a note for each of the others.
    ///
    /// - Parameter command: The command whose figures are left out.
    static func built(_ peers: [Client], for command: String) -> [Client] {
        peers.filter { peer in
            let isBuilt =
                switch peer {
                case .ahc: hasAsyncHTTPClient
                case .nio_handler, .nio_async: hasNIO
                default: peer.program != nil
                }
            if !isBuilt { say("note: the client for \(peer) was not built; \(command).*_vs_\(peer) is left out") }
            return isBuilt
        }
    }
}
