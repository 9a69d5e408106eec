import ArgumentParser
import Dispatch
import Foundation

/// One command from its start to its exit code: it can be interrupted with Ctrl-C, and its time can be limited.
struct Operation {
    private let options: TransferOptions
    private let url: URL
    private let parallel: Int

    init(_ options: TransferOptions, _ url: URL, parallel: Int = 1) {
        self.options = options
        self.url = url
        self.parallel = parallel
    }

    /// Runs the work of a command, and reports its failure.
    ///
    /// - Throws: `ExitCode`, after the reason has been printed.
    func run(_ work: @escaping @Sendable (Client) async throws -> Void) async throws {
        do {
            let client = try Client(options, for: url, parallel: parallel)
            let result = await limited { try await work(client) }
            try client.finish()
            try result.get()
        } catch {
            let status = ExitStatus(error)
            if !options.silent { Terminal.note("grab: (\(status.rawValue)) \(status.message ?? "\(error)")") }
            throw ExitCode(status.rawValue)
        }
    }

    /// Runs the work until it ends, Ctrl-C is pressed, or the time is over. The work is cancelled then, so that it leaves files that can be resumed.
    private func limited(_ work: @escaping @Sendable () async throws -> Void) async -> Result<Void, any Error> {
        let task = Task { try await work() }
        let interrupted = Flag(), late = Flag()
        signal(SIGINT, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: SIGINT)
        source.setEventHandler {
            // The second time, the process ends at once.
            if interrupted.isSet { exit(ExitStatus.interrupted.rawValue) }
            interrupted.set()
            task.cancel()
        }
        source.resume()
        defer { source.cancel() }
        let timer = options.maxTime.map { seconds in
            Task {
                try await Task.sleep(for: .seconds(seconds))
                late.set()
                task.cancel()
            }
        }
        defer { timer?.cancel() }
        let result = await task.result
        guard case .failure = result else { return result }
        if interrupted.isSet { return .failure(ExitStatus.interrupted) }
        return late.isSet ? .failure(ExitStatus.timedOut) : result
    }
}

/// A flag that is set once, from any thread.
// `@unchecked Sendable`: the value is only accessed while the lock is held.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }
    func set() { lock.withLock { value = true } }
}
