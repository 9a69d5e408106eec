import Foundation
import Synchronization

/// The connections to a Valkey or Redis server, version 6.0 or later, which stores and limiters share.
///
/// ```swift
/// let client = ValkeyClient(ValkeyConfiguration(.tcp(host: "10.0.0.7"))) { error, suppressed in
///     logger.warning("\(error), and \(suppressed) more")
/// }
/// ```
///
/// It connects when it is first used, and again after failures, with pauses that grow. Each command waits for at most
/// ``ValkeyConfiguration/commandTimeout``, besides the lookup of a host name. Commands are sent on its own threads,
/// which end after the client is released. A single server with replicas is supported; Redis Cluster is not.
public final class ValkeyClient: Sendable {
    /// A closure that receives a failure, and the number of failures that were not reported since its last call.
    public typealias FailureHandler = @Sendable (_ error: ValkeyError, _ suppressed: Int) -> Void

    private struct Reports {
        var next = ContinuousClock.now
        var suppressed = 0
    }

    /// The configuration that the client was created with.
    public let configuration: ValkeyConfiguration
    private let queue: CommandQueue
    private let digests = Mutex<[String: Data]>([:])
    private let reports = Mutex(Reports())
    private let onFailure: FailureHandler?

    /// Creates a client. Does not connect yet.
    ///
    /// - Parameters:
    ///   - configuration: The server and the limits.
    ///   - onFailure: Called when the server cannot be used, at most once in each ``ValkeyConfiguration/reportInterval``, on the task that
    ///     needed it. Default: `nil`.
    public init(_ configuration: ValkeyConfiguration, onFailure: FailureHandler? = nil) {
        self.configuration = configuration
        self.onFailure = onFailure
        queue = CommandQueue(configuration)
    }

    deinit {
        queue.close()
    }

    /// Returns the reply of the server to one command, such as to `PING`.
    ///
    /// - Throws: ``ValkeyError``, also for an error reply.
    package func send(_ arguments: [Data]) async throws(ValkeyError) -> ValkeyReply {
        guard let reply = try await send([arguments]).first else {
            throw reported(ValkeyError(.protocolViolation, "the server sent no reply"))
        }
        return reply
    }

    /// Returns the reply of the server to one command of texts.
    package func send(_ arguments: String...) async throws(ValkeyError) -> ValkeyReply {
        try await send(arguments.map { Data($0.utf8) })
    }

    /// Returns the replies of the server to commands that are sent together. The first error reply is thrown.
    package func send(_ commands: [[Data]]) async throws(ValkeyError) -> [ValkeyReply] {
        let replies = try await unchecked(commands)
        for case .error(let text) in replies { throw reported(ValkeyError(reply: text)) }
        return replies
    }

    /// Runs a script, which is sent as a digest if the server knows it.
    package func run(_ script: ValkeyScript, keys: [String], _ arguments: [Data]) async throws(ValkeyError) -> ValkeyReply {
        let rest = [Data(String(keys.count).utf8)] + keys.map { Data($0.utf8) } + arguments
        let digest: Data
        if let known = digests.withLock({ $0[script.text] }) {
            digest = known
        } else {
            guard let loaded = try await send("SCRIPT", "LOAD", script.text).bytes else {
                throw reported(ValkeyError(.protocolViolation, "the reply to SCRIPT is not a digest"))
            }
            digests.withLock { $0[script.text] = loaded }
            digest = loaded
        }
        switch try await unchecked([[Data("EVALSHA".utf8), digest] + rest]).first {
        case .error(let text)? where text.hasPrefix("NOSCRIPT"):
            // The server was restarted since.
            return try await send([Data("EVAL".utf8), Data(script.text.utf8)] + rest)
        case .error(let text)?: throw reported(ValkeyError(reply: text))
        case let reply?: return reply
        case nil: throw reported(ValkeyError(.protocolViolation, "the server sent no reply"))
        }
    }

    /// The key with the prefix of the configuration.
    func key(_ parts: String...) -> String { ([configuration.keyPrefix] + parts).joined(separator: ":") }

    private func unchecked(_ commands: [[Data]]) async throws(ValkeyError) -> [ValkeyReply] {
        let limit = configuration.maximumValueBytes
        guard commands.allSatisfy({ $0.allSatisfy { $0.count <= limit } }) else {
            throw ValkeyError(.limitExceeded, "a value is larger than \(limit) bytes")
        }
        let outcome = await withCheckedContinuation { continuation in
            queue.add(commands) { continuation.resume(returning: $0) }
        }
        switch outcome {
        case .success(let replies): return replies
        case .failure(let error): throw reported(error)
        }
    }

    /// Reports an error, unless that was done a moment ago.
    func reported(_ error: ValkeyError) -> ValkeyError {
        guard let onFailure else { return error }
        let now = ContinuousClock.now
        let suppressed: Int? = reports.withLock { reports in
            guard now >= reports.next else {
                reports.suppressed += 1
                return nil
            }
            defer { reports.suppressed = 0 }
            reports.next = now + configuration.reportInterval
            return reports.suppressed
        }
        if let suppressed { onFailure(error, suppressed) }
        return error
    }
}

/// A script in Lua that runs on the server, atomically.
package struct ValkeyScript: Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }
}
