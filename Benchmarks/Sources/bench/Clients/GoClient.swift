import Foundation

/// The client in Go that `Scripts/bench` builds where there is a toolchain: `Go/main.go`.
enum GoClient {
    /// `nil` where it was not built. The variable `BENCH_GO_CLIENT` names it.
    static let program: URL? = ProcessInfo.processInfo.environment["BENCH_GO_CLIENT"]
        .flatMap { $0.isEmpty ? nil : URL(fileURLWithPath: $0) }

    /// The client where it was built; otherwise a note, in which the figures stand that are left out.
    ///
    /// - Parameter figures: Such as `transport.*_vs_go`.
    static func clients(insteadOf figures: String) -> [Client] {
        guard program == nil else { return [.go] }
        say("note: there is no toolchain for Go; \(figures) is left out")
        return []
    }
}
