import Foundation
import JSONDifferential

/// `Scripts/bench json` and `Scripts/bench json-differential` build and run this.
@main
struct BenchJSON {
    static func main() throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let isSmoke = take("--smoke", from: &arguments)
        let isQuick = take("--quick", from: &arguments)
        switch arguments.isEmpty ? "" : arguments.removeFirst() {
        case "json":
            let measuring = Measuring(rounds: isSmoke ? 1 : isQuick ? 5 : 15, duration: isSmoke ? 0.0002 : 0.004)
            try JSONBench(measuring: measuring, filter: arguments.first).run()
        case "json-differential":
            try compare(arguments, isSmoke: isSmoke)
        default:
            fail("json [--quick | --smoke] [ROW] | json-differential [--smoke] [--seed N] [--suite FOLDER] [MODEL]")
        }
    }

    private static func take(_ flag: String, from arguments: inout [String]) -> Bool {
        guard let index = arguments.firstIndex(of: flag) else { return false }
        arguments.remove(at: index)
        return true
    }

    private static func option(_ name: String, from arguments: inout [String]) -> String? {
        guard let index = arguments.firstIndex(of: name), index + 1 < arguments.count else { return nil }
        defer { arguments.removeSubrange(index...index + 1) }
        return arguments[index + 1]
    }

    /// Two million mutated documents, 120,000 encodings and ten million numbers of each direction.
    private static func compare(_ arguments: [String], isSmoke: Bool) throws {
        var arguments = arguments
        var differential = Differential(seed: option("--seed", from: &arguments).flatMap { UInt64($0) } ?? 1)
        let folder = option("--suite", from: &arguments)
        let divisor = isSmoke ? 1000 : 1
        if let folder {
            for note in differential.suite(folder: folder) { say("note: \(note)") }
        } else {
            differential.decode(documents: 80_000 / divisor, model: arguments.first)
            if arguments.isEmpty {
                differential.encode(rounds: max(1, 1000 / divisor))
                differential.numbers(10_000_000 / divisor)
            }
        }
        for line in differential.summary { say(line) }
        for line in differential.unexpected { say("unexpected: \(line)") }
        say("\(differential.count) comparisons, \(differential.unexpected.count) unexpected differences")
        if !differential.unexpected.isEmpty { exit(1) }
    }
}
