import DataTransferValkey
import Foundation

/// A `redis-server` without persistence, in a temporary folder, on a Unix socket, which ends with this value.
public final class TestServer: @unchecked Sendable {  // `process` is guarded by `lock`.
    private let folder: URL
    private let options: [String]
    private let lock = NSLock()
    private var process: ChildProcess?

    /// The path of its socket.
    public let path: String
    /// Its TCP port on 127.0.0.1; 0 if it has none.
    public let port: Int

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: A TCP port on which it listens too. Default: none.
    ///   - options: Arguments of `redis-server`, such as `--requirepass`.
    public init(port: Int = 0, options: [String] = []) throws {
        folder = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("valkey-" + UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        path = folder.appendingPathComponent("socket").path
        self.port = port
        self.options = options
        try start()
    }

    deinit {
        stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// A configuration for this server.
    public var configuration: ValkeyConfiguration { ValkeyConfiguration(.unix(path: path)) }

    /// A configuration for this server with timeouts that do not pass on a busy machine.
    public var patient: ValkeyConfiguration {
        ValkeyConfiguration(.unix(path: path), connectTimeout: .seconds(30), commandTimeout: .seconds(30))
    }

    /// Starts it again. Waits until it accepts connections.
    public func start() throws {
        let new = try ChildProcess(
            "/usr/bin/redis-server",
            [
                "--port", String(port), "--bind", "127.0.0.1", "--unixsocket", path, "--save", "", "--appendonly", "no", "--dir",
                folder.path, "--logfile", folder.appendingPathComponent("log").path,
            ] + options)
        lock.withLock { process = new }
        let deadline = Date(timeIntervalSinceNow: 20)
        while !accepts() {
            guard Date() < deadline, new.isRunning else { throw CocoaError(.fileReadUnknown) }
            usleep(2000)
        }
    }

    /// Kills it with SIGKILL.
    public func stop() {
        guard let process = lock.withLock({ process.take() }) else { return }
        process.kill()
        process.wait()
        unlink(path)
    }

    /// Stops or continues it, so that it accepts connections and does not reply.
    public func setPaused(_ isPaused: Bool) {
        guard let process = lock.withLock({ process }) else { return }
        kill(process.id, isPaused ? SIGSTOP : SIGCONT)
    }

    private func accepts() -> Bool {
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            } == 0
        }
    }
}
