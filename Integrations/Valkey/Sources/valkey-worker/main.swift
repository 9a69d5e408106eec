import Foundation
import ValkeyTesting

// One process of a fleet:
//
//     valkey-worker cache SOCKET SEED SECONDS      # reads and changes resources through the shared cache; 1 if one was wrong

let arguments = CommandLine.arguments

switch arguments.dropFirst().first {
case "cache" where arguments.count == 5:
    let model = try CacheModel(path: arguments[2])
    let summary = await model.run(seed: UInt64(arguments[3]) ?? 0, for: .seconds(Double(arguments[4]) ?? 1))
    for violation in summary.violations.prefix(5) { print("violation: \(violation)") }
    print("reads \(summary.reads) hits \(summary.hits) changes \(summary.changes)")
    exit(summary.violations.isEmpty ? 0 : 1)
default:
    FileHandle.standardError.write(Data("usage: valkey-worker cache SOCKET SEED SECONDS\n".utf8))
    exit(2)
}
