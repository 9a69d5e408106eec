import Foundation

/// A run of the tool in a folder, with its output in files.
final class GrabProcess: Sendable {
    struct Result {
        var status: Int32
        var output: Data
        var errors: String
    }

    private let process: Process
    private let ended: AsyncStream<Int32>
    private let files: (output: URL, errors: URL)

    /// Starts the tool that was built with the tests.
    ///
    /// - Parameter folder: The current folder and the home of the process.
    init(_ arguments: [String], in folder: URL) throws {
        let scratch = FileManager.default.temporaryDirectory.appendingPathComponent("grab-\(UUID().uuidString)")
        files = (scratch.appendingPathExtension("out"), scratch.appendingPathExtension("err"))
        for file in [files.output, files.errors] { try Data().write(to: file) }
        let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let process = Process()
        process.executableURL = products.appendingPathComponent("grab")
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ["HOME": folder.path, "PATH": ProcessInfo.processInfo.environment["PATH"] ?? ""]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: files.output)
        process.standardError = try FileHandle(forWritingTo: files.errors)
        let (ended, end) = AsyncStream.makeStream(of: Int32.self)
        process.terminationHandler = { process in
            end.yield(process.terminationStatus)
            end.finish()
        }
        self.ended = ended
        self.process = process
        try process.run()
    }

    deinit {
        try? FileManager.default.removeItem(at: files.output)
        try? FileManager.default.removeItem(at: files.errors)
    }

    /// Sends SIGINT, as Ctrl-C does.
    func interrupt() {
        process.interrupt()
    }

    /// Waits for the end of the process.
    func result() async throws -> Result {
        var status: Int32 = -1
        for await code in ended { status = code }
        let errors = String(decoding: try Data(contentsOf: files.errors), as: UTF8.self)
        return Result(status: status, output: try Data(contentsOf: files.output), errors: errors)
    }
}

/// A temporary folder in which the tool runs. It is removed with the value.
final class Workplace: Sendable {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("grab-tests-\(UUID().uuidString)", isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String) -> URL { url.appendingPathComponent(name) }

    /// The names of all files, sorted.
    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []).sorted() }

    /// Runs the tool and waits for its end.
    func grab(_ arguments: String...) async throws -> GrabProcess.Result {
        try await GrabProcess(arguments, in: url).result()
    }

    /// Suspends until a hidden partial file has `count` bytes.
    func waitForPartialFile(of count: Int) async throws {
        while true {
            try Task.checkCancellation()
            for name in names where name.hasSuffix(".partial") {
                let size = try? FileManager.default.attributesOfItem(atPath: file(name).path)[.size] as? Int
                if size ?? 0 >= count { return }
            }
            await Task.yield()
        }
    }
}
