import Foundation

/// Where a load goes.
struct Target: Hashable {
    var url: URL
    /// A PEM file with the only certificates to trust; `nil` for the system's.
    var authority: URL?
}

/// One client at one level for a while, in a separate process, so that what one leaves behind disturbs no other.
struct Sample {
    var requestsPerSecond: Double
    /// User and system time of the client's process, in microseconds.
    var processorPerRequest: Double
    /// The processor time of the server per elapsed time, from the start of the client's process to its end.
    var serverShare = Double.nan

    /// The value in place of a sample that was not taken.
    static let none = Sample(requestsPerSecond: .nan, processorPerRequest: .nan)

    /// This program.
    static let ownProgram = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()

    /// Each number's median.
    static func median(_ samples: [Sample]) -> Sample {
        Sample(
            requestsPerSecond: samples.map(\.requestsPerSecond).median,
            processorPerRequest: samples.map(\.processorPerRequest).median,
            serverShare: samples.map(\.serverShare).median)
    }

    /// Runs a program with ``take(url:arguments:)``.
    ///
    /// - Parameter program: This one, or another build of it. Without TLS, one that knows no authority will do.
    static func measure(
        _ client: Client, level: Int, target: Target, seconds: Double, program: URL = ownProgram
    ) throws -> Sample {
        guard let sample = try attempt(client, level: level, target: target, seconds: seconds, program: program) else {
            fail("\(client) at \(level) gave no result")
        }
        return sample
    }

    /// As above, but `nil` where the program gives no result.
    static func attempt(_ client: Client, level: Int, target: Target, seconds: Double, program: URL) throws -> Sample? {
        let output = Pipe()
        let process = Process()
        if client.isPeer {
            guard let peer = client.program else { fail("the client for \(client) was not built") }
            process.executableURL = peer
            process.arguments = [target.url.absoluteString, String(level), String(seconds), String(bodyBytes(of: target.url))]
        } else {
            process.executableURL = program
            process.arguments = ["load", target.url.absoluteString, client.rawValue, String(level), String(seconds)]
        }
        if let authority = target.authority { process.arguments?.append(authority.path) }
        process.standardOutput = output
        try process.run()
        let data = try output.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let numbers = String(decoding: data, as: UTF8.self).split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard process.terminationStatus == 0, numbers.count == 2 else { return nil }
        return Sample(requestsPerSecond: numbers[0], processorPerRequest: numbers[1])
    }

    /// As above, without TLS and in this program.
    static func measure(_ client: Client, level: Int, url: URL, seconds: Double) throws -> Sample {
        try measure(client, level: level, target: Target(url: url), seconds: seconds)
    }

    /// Prints requests per second and microseconds of processor time per request. A fifth of the time goes ahead unmeasured, and
    /// over TLS no less than 0.3 seconds, in which all connections are made.
    ///
    /// - Parameter arguments: Client, level, seconds, and for TLS the file of the authority.
    static func take(url: URL, arguments: [String]) throws {
        guard arguments.count == 3 || arguments.count == 4, let client = Client(rawValue: arguments[0]),
            let level = Int(arguments[1]), let seconds = Double(arguments[2])
        else { fail("load URL CLIENT LEVEL SECONDS [AUTHORITY]") }
        let authority = arguments.dropFirst(3).first.map { URL(fileURLWithPath: $0) }
        if client.isPeer {
            let target = Target(url: url, authority: authority)
            let sample = try measure(client, level: level, target: target, seconds: seconds)
            return say("\(sample.requestsPerSecond) \(sample.processorPerRequest)")
        }
        let load = Load(url: url, concurrency: level, bodyBytes: bodyBytes(of: url), authority: authority)
        let completed = try client.start(load)
        wait(max(seconds / 5, authority == nil ? 0 : 0.3)) { completed() > 0 }
        let before = (usage: Usage.now, completed: completed())
        wait(seconds) { completed() > before.completed }
        let after = (usage: Usage.now, completed: completed())

        let requests = Double(after.completed - before.completed)
        guard requests > 0 else { fail("\(client) at \(level) ended no request") }
        let rate = requests / (after.usage.time - before.usage.time).inSeconds
        let processor = (after.usage.processor - before.usage.processor).inSeconds / requests * 1e6
        say("\(rate) \(processor)")
        // Requests are under way, and closures of other clients would run into what exit() takes down.
        _exit(0)
    }

    /// Waits so long, and on a busy machine up to 20 seconds longer until the condition holds.
    private static func wait(_ seconds: Double, until condition: () -> Bool) {
        Thread.sleep(forTimeInterval: seconds)
        for _ in 0..<400 where !condition() { Thread.sleep(forTimeInterval: 0.05) }
    }

    /// Sends so many requests and prints how many have ended: for tools that count what a process does as a whole.
    ///
    /// - Parameter arguments: Client, level, number of requests, and for TLS the file of the authority.
    static func send(url: URL, arguments: [String]) throws {
        guard arguments.count == 3 || arguments.count == 4, let client = Client(rawValue: arguments[0]),
            let level = Int(arguments[1]), let requests = Int(arguments[2])
        else { fail("requests URL CLIENT LEVEL COUNT [AUTHORITY]") }
        let authority = arguments.dropFirst(3).first.map { URL(fileURLWithPath: $0) }
        let load = Load(url: url, concurrency: level, bodyBytes: bodyBytes(of: url), authority: authority)
        let completed = try client.start(load)
        while completed() < requests { Thread.sleep(forTimeInterval: 0.001) }
        say("\(completed())")
        _exit(0)
    }

    private static func bodyBytes(of url: URL) -> Int {
        switch url.lastPathComponent {
        case Document.tiny: Document.tinyBytes
        case Document.mebibyte: 1 << 20
        default: Document.bytes
        }
    }
}
