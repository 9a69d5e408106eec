import Foundation

/// A program in another process, whose output goes to a file.
///
/// Foundation's `Process` reports the end of a process late while other processes run that were started at the same time.
final class ChildProcess: @unchecked Sendable {  // `status` is guarded by `lock`.
    let id: pid_t
    private let lock = NSLock()
    private var status: Int32?

    /// Starts a program.
    ///
    /// - Parameter output: The path of the file for what it prints.
    init(_ program: String, _ arguments: [String], output: String = "/dev/null") throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var texts = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        var id = pid_t()
        guard posix_spawn(&id, program, &actions, nil, &texts, environ) == 0 else { throw CocoaError(.fileNoSuchFile) }
        self.id = id
    }

    /// Kills it with SIGKILL, unless it has ended and was waited for.
    func kill() {
        lock.withLock { if status == nil { Foundation.kill(id, SIGKILL) } }
    }

    /// Whether it has not ended yet.
    var isRunning: Bool { lock.withLock { poll(WNOHANG) == nil } }

    /// Waits until it has ended. Returns its exit status, or -1 if it was ended by a signal.
    @discardableResult
    func wait() -> Int32 {
        while true {
            if let status = lock.withLock({ poll(WNOHANG) }) { return status & 0x7f == 0 ? (status >> 8) & 0xff : -1 }
            usleep(2000)
        }
    }

    private func poll(_ options: Int32) -> Int32? {
        if let status { return status }
        var result: Int32 = 0
        guard waitpid(id, &result, options) != 0 else { return nil }
        status = result
        return result
    }
}
