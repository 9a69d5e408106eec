import Foundation

/// One client at one level for a while, in a process of its own, so that what one leaves behind disturbs no other.
struct Sample {
    var requestsPerSecond: Double
    /// User and system time of the client's process, in microseconds.
    var processorPerRequest: Double

    /// Runs this program once more, with `take(url:arguments:)`.
    static func measure(_ client: Client, level: Int, url: URL, seconds: Double) throws -> Sample {
        let output = Pipe()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["load", url.absoluteString, client.rawValue, String(level), String(seconds)]
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let numbers = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard process.terminationStatus == 0, numbers.count == 2 else { fail("\(client) at \(level) gave no result") }
        return Sample(requestsPerSecond: numbers[0], processorPerRequest: numbers[1])
    }

    /// Prints requests per second and microseconds of processor time per request. A fifth of the time goes ahead unmeasured.
    ///
    /// - Parameter arguments: Client, level, seconds.
    static func take(url: URL, arguments: [String]) throws {
        guard arguments.count == 3, let client = Client(rawValue: arguments[0]), let level = Int(arguments[1]),
            let seconds = Double(arguments[2])
        else { fail("load URL CLIENT LEVEL SECONDS") }
        let isTiny = url.lastPathComponent == Document.tiny
        let load = Load(url: url, concurrency: level, bodyBytes: isTiny ? Document.tinyBytes : Document.bytes)
        let completed = try client.start(load)
        Thread.sleep(forTimeInterval: seconds / 5)
        let before = (usage: Usage.now, completed: completed())
        Thread.sleep(forTimeInterval: seconds)
        let after = (usage: Usage.now, completed: completed())

        let requests = Double(after.completed - before.completed)
        guard requests > 0 else { fail("\(client) at \(level) ended no request") }
        let rate = requests / (after.usage.time - before.usage.time).inSeconds
        let processor = (after.usage.processor - before.usage.processor).inSeconds / requests * 1e6
        say("\(rate) \(processor)")
        // Requests are under way, and closures of other clients would run into what exit() takes down.
        _exit(0)
    }
}
