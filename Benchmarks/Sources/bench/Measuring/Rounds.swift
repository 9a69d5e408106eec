import CLoop
import Foundation

/// A client, a level and a target that are measured once in every round.
struct Cell: Hashable {
    var client: Client
    var level: Int
    var target: Target
}

/// Clients that are measured in turns, so that a disturbance of the machine meets them alike.
struct Rounds {
    let count: Int
    /// How long each sample takes.
    let seconds: Double
    private let machine: QuietMachine

    init(_ effort: Effort) {
        (count, seconds) =
            switch effort {
            case .full: (5, 1.5)
            case .quick: (3, 0.4)
            case .smoke: (1, 0.1)
            }
        machine = QuietMachine(effort)
    }

    /// - Returns: Of each cell the medians over all rounds.
    func medians(of cells: [Cell]) throws -> [Cell: Sample] {
        say("note: \(String(cString: cloop_libcurl()))")
        var samples: [Cell: [Sample]] = [:]
        for round in 1...count {
            for cell in cells {
                let sample = try machine.measure {
                    let (start, before) = (ContinuousClock.now, QuietMachine.secondsOfServer)
                    var sample = try Sample.measure(cell.client, level: cell.level, target: cell.target, seconds: seconds)
                    sample.serverShare = (QuietMachine.secondsOfServer - before) / (ContinuousClock.now - start).inSeconds
                    return sample
                }
                samples[cell, default: []].append(sample)
            }
            say("round \(round) of \(count)")
        }
        machine.report()
        return samples.mapValues(Sample.median)
    }
}

/// The two numbers of a sample.
func printFigures(_ name: String, _ sample: Sample) {
    printFigure("\(name).rps", sample.requestsPerSecond, "1/s")
    printFigure("\(name).cpu", sample.processorPerRequest, "us")
}

/// The same of one sample over those of another: `NAME.rps_vs_OTHER` and `NAME.cpu_vs_OTHER`.
func printRatios(_ name: String, of client: String = "", _ sample: Sample, vs other: String, _ otherSample: Sample) {
    let name = client.isEmpty ? name + "." : "\(name).\(client)_"
    printFigure("\(name)rps_vs_\(other)", sample.requestsPerSecond / otherSample.requestsPerSecond, "x")
    printFigure("\(name)cpu_vs_\(other)", sample.processorPerRequest / otherSample.processorPerRequest, "x")
}
