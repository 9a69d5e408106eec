import DataTransferValkey
import Foundation
import ValkeyTesting

// One process of a fleet:
//
//     valkey-worker cache SOCKET SEED SECONDS      # reads and changes resources through the shared cache; 1 if one was wrong
//     valkey-worker limiter SOCKET RATE BURST PROCESSES TASKS SECONDS      # prints the times of its requests
//     valkey-worker lease SOCKET      # takes the lease of tokens, and keeps it until it is killed

let arguments = CommandLine.arguments

switch arguments.dropFirst().first {
case "cache" where arguments.count == 5:
    let model = try CacheModel(path: arguments[2])
    let summary = await model.run(seed: UInt64(arguments[3]) ?? 0, for: .seconds(Double(arguments[4]) ?? 1))
    for violation in summary.violations.prefix(5) { print("violation: \(violation)") }
    print("reads \(summary.reads) hits \(summary.hits) changes \(summary.changes)")
    exit(summary.violations.isEmpty ? 0 : 1)
case "limiter" where arguments.count == 8:
    let numbers = arguments[3...].compactMap { Double($0) }
    let limit = RateLimit(Int(numbers[0]), per: .seconds(1), burst: Int(numbers[1]))
    let times = await LimiterFleet.takeTokens(
        path: arguments[2], limit: limit, processes: Int(numbers[2]), tasks: Int(numbers[3]), for: .seconds(numbers[4]))
    for time in times { print(time) }
case "lease" where arguments.count == 3:
    var configuration = ValkeyConfiguration(.unix(path: arguments[2]))
    configuration.commandTimeout = .seconds(30)
    configuration.connectTimeout = .seconds(30)
    let store = ValkeyCredentialStore(ValkeyClient(configuration), name: "api", leaseTime: .seconds(10))
    try await store.withLock(timeout: .seconds(30)) { try await Task.sleep(for: .seconds(600)) }
default:
    FileHandle.standardError.write(Data("usage: valkey-worker cache|limiter|lease SOCKET …\n".utf8))
    exit(2)
}
