import Foundation
import JSONDocuments
import NetworkJSON

/// Compares decoding and encoding with Foundation's, over random documents and values.
///
/// A difference that `Docs/JSON.md` does not list is *unexpected*.
package struct Differential {
    private struct Finding {
        var count = 0
        var documented: Int?
    }

    private let seed: UInt64
    private var findings: [String: Finding] = [:]
    /// The number of comparisons so far.
    package private(set) var count = 0
    /// Differences that are not documented, each with its first examples.
    package private(set) var unexpected: [String] = []

    /// - Parameter seed: The seed of all random choices.
    package init(seed: UInt64) { self.seed = seed }

    /// Decodes mutated documents with both decoders.
    ///
    /// - Parameters:
    ///   - documents: The number of documents per model; there are 25 models.
    ///   - model: The name of the only model to use. Default: all.
    package mutating func decode(documents: Int, model only: String? = nil) {
        for model in Model.all() where only == nil || model.name == only {
            let sample = Array(model.sample.utf8)
            note(model.compare(Data(sample)), model.name, sample)
            var mutator = Mutator(
                random: Random(seed: seed &* 1000 &+ model.name.utf8.reduce(0 as UInt64) { $0 &* 31 &+ UInt64($1) }))
            // Documents without a difference are mutated again, so that changes accumulate.
            var pool = [sample]
            for _ in 0..<documents {
                let text = mutator.mutate(mutator.random.pick(pool))
                if let difference = model.compare(Data(text)) {
                    note(difference, model.name, text)
                } else if text.count < 3 * sample.count + 200 {
                    if pool.count < 50 {
                        pool.append(text)
                    } else if mutator.random.below(4) == 0 {
                        pool[1 + mutator.random.below(49)] = mutator.random.below(3) == 0 ? sample : text
                    }
                }
            }
            count += documents + 1
        }
    }

    /// Encodes fixed cases and random values with both encoders, in six formats.
    ///
    /// - Parameter rounds: The number of random values of each kind; there are 20 kinds.
    package mutating func encode(rounds: Int) {
        var found: [(String, String)] = []
        var checks = EncodingChecks(random: Random(seed: seed)) { found.append(($0, $1)) }
        checks.run(rounds)
        count += checks.checks
        for (kind, text) in found { note(Difference(name: kind), text, []) }
    }

    /// Decodes numbers and compares them with `strtod` and `strtof`; encodes others and compares them with `description`.
    package mutating func numbers(_ numbers: Int) {
        for (name, result) in [
            ("number read", NumberChecks.decode(numbers, seed: seed)),
            ("number written", NumberChecks.encode(numbers, seed: seed)),
        ] {
            count += result.count
            unexpected += result.wrong.map { "\(name): \($0)" }
        }
    }

    /// Decodes the files of a copy of github.com/nst/JSONTestSuite's `test_parsing`.
    ///
    /// The first letter of a name says what is expected: `y` to be accepted, `n` to be refused, `i` either.
    ///
    /// - Returns: Lines that describe files of the third kind for which both decoders differ.
    package mutating func suite(folder: String) -> [String] {
        var notes: [String] = []
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder))?.sorted() ?? [] where file.hasSuffix(".json") {
            guard let data = FileManager.default.contents(atPath: "\(folder)/\(file)") else { continue }
            count += 1
            let isAccepted = (try? TransferJSONDecoder().decode(AnyValue.self, from: data)) != nil
            let foundation = (try? JSONDecoder().decode(AnyValue.self, from: data)) != nil
            let line = "\(file): \(isAccepted ? "accepted" : "refused"), Foundation \(foundation ? "accepts" : "refuses")"
            switch file.first {
            case "y" where !isAccepted, "n" where isAccepted: unexpected.append(line)
            case "i" where isAccepted != foundation: notes.append(line)
            default: break
            }
        }
        return notes
    }

    private mutating func note(_ difference: Difference?, _ model: String, _ text: [UInt8]) {
        guard let difference else { return }
        findings[difference.name, default: Finding(documented: difference.documented)].count += 1
        guard difference.documented == nil else { return }
        let example = text.isEmpty ? model : "\(model): \(String(decoding: text.prefix(700), as: UTF8.self).debugDescription)"
        if unexpected.count < 20 { unexpected.append("\(difference.name)\n    \(example)") }
    }

    /// One line per kind of difference, the most frequent first: its count, the number of the documented difference, and its name.
    package var summary: [String] {
        findings.sorted { $0.value.count > $1.value.count }.map { name, finding in
            "\(finding.count)  (\(finding.documented.map(String.init) ?? "unexpected"))  \(name)"
        }
    }
}
