import CLoop
import Foundation

/// The engine of this build beside that of another, such as of the commit before, against the same nginx.
///
/// The two take turns, and which goes first alternates. Ratios are made of neighbours, and their median is printed: they hold when
/// the machine is at times slower than at others.
struct Compare {
    /// Another build of this program.
    let other: URL
    let servers: Servers
    let effort: Effort

    private struct Setting {
        var name: String
        var target: Target
        var levels: [Int]
    }

    func run() throws {
        let (rounds, seconds): (Int, Double) =
            switch effort {
            case .full: (9, 1.5)
            case .quick: (5, 0.5)
            case .smoke: (1, 0.1)
            }
        var settings = [
            Setting(name: "compare", target: servers.plain, levels: [1, 16, 64, 256]),
            Setting(name: "compare.tls", target: servers.tls, levels: [1, 64]),
            Setting(name: "compare.http2", target: servers.http2, levels: [1, 64]),
            Setting(name: "compare.connections", target: servers.plainOnce, levels: [1, 16]),
            Setting(name: "compare.connections_resumed", target: servers.tlsOnce, levels: [1, 16]),
        ]
        if let target = servers.tlsUnresumed {
            settings.append(Setting(name: "compare.connections_tls", target: target, levels: [1, 16]))
        }
        settings = try settings.filter(isKnownToOther)
        let machine = QuietMachine(effort)
        say("note: \(String(cString: cloop_libcurl()))")
        var pairs: [String: [(ours: Sample, other: Sample)]] = [:]
        for round in 1...rounds {
            for setting in settings {
                for level in setting.levels {
                    let sample = try machine.measure {
                        try pair(level, setting.target, seconds, oursFirst: round.isMultiple(of: 2))
                    }
                    pairs["\(setting.name).c\(level)", default: []].append(sample)
                }
            }
            say("round \(round) of \(rounds)")
        }
        machine.report()
        for setting in settings {
            for level in setting.levels {
                let name = "\(setting.name).c\(level)"
                report(name, pairs[name] ?? [])
            }
        }
    }

    /// Whether the other build can take such a load: older ones cannot be given a certificate authority.
    private func isKnownToOther(_ setting: Setting) throws -> Bool {
        let sample = try Sample.attempt(.engine, level: 1, target: setting.target, seconds: 0.1, program: other)
        if sample == nil { say("note: \(other.path) gives no result; \(setting.name) is left out") }
        return sample != nil
    }

    private func pair(
        _ level: Int, _ target: Target, _ seconds: Double, oursFirst: Bool
    ) throws -> (ours: Sample, other: Sample) {
        func measure(_ program: URL) throws -> Sample {
            try Sample.measure(.engine, level: level, target: target, seconds: seconds, program: program)
        }
        if oursFirst {
            let ours = try measure(Sample.ownProgram)
            return (ours, try measure(other))
        }
        let other = try measure(other)
        return (try measure(Sample.ownProgram), other)
    }

    private func report(_ name: String, _ pairs: [(ours: Sample, other: Sample)]) {
        printFigures(name, Sample.median(pairs.map(\.ours)))
        printFigures("\(name).other", Sample.median(pairs.map(\.other)))
        for (figure, value) in [("rps", \Sample.requestsPerSecond), ("cpu", \Sample.processorPerRequest)] {
            let ratios = pairs.map { $0.ours[keyPath: value] / $0.other[keyPath: value] }
            printFigure("\(name).\(figure)_vs_other", ratios.median, "x")
            printFigure("\(name).\(figure)_vs_other_min", ratios.min() ?? .nan, "x")
            printFigure("\(name).\(figure)_vs_other_max", ratios.max() ?? .nan, "x")
        }
    }
}
