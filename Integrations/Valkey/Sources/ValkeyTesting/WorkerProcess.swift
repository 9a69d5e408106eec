import Foundation

/// A process that runs `valkey-worker`, which is beside the present program.
public final class WorkerProcess: Sendable {
    private let process: ChildProcess
    private let output: String

    /// Starts a process.
    ///
    /// - Parameter arguments: The mode and its parameters.
    public init(_ arguments: [String]) throws {
        let program = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        output = NSTemporaryDirectory() + "worker-" + UUID().uuidString
        process = try ChildProcess(program.appendingPathComponent("valkey-worker").path, arguments, output: output)
    }

    deinit {
        process.kill()
        process.wait()
        unlink(output)
    }

    /// Kills it with SIGKILL.
    public func kill() {
        process.kill()
    }

    /// Returns what it has printed, after it has ended, and whether it exited with 0.
    public func result() async -> (output: String, isSuccess: Bool) {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in
                let status = process.wait()
                let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
                continuation.resume(returning: (text, status == 0))
            }
        }
    }
}
