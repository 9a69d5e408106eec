import DataTransfer
import Foundation
import NetworkSupport
import NetworkTransport
import TransferTestSupport

@testable import BackgroundTransfers

/// What the system keeps of the tasks of a background session, also while no process of the app runs.
final class FakeBackgroundSystem: Sendable {
    struct Started: Sendable {
        var request: BackgroundRequest
        var text: String
        var isCancelled = false
    }

    let tasks = Locked<[Int: Started]>([:])
    let lastNumber = Locked(0)

    private let starts = AsyncStream<Int>.makeStream()

    func add(_ started: Started) -> Int {
        let number = lastNumber.withLock { number in
            number += 1
            return number
        }
        tasks.withLock { $0[number] = started }
        starts.continuation.yield(number)
        return number
    }

    /// Waits for the next task that is started, and returns its number.
    func nextStart() async throws -> Int {
        for await number in starts.stream { return number }
        throw CancellationError()
    }
}

/// A background session without the system: the test plays its delegate.
struct FakeBackgroundSession: BackgroundSession {
    let system: FakeBackgroundSystem
    let center: BackgroundCenter

    func tasks() async -> [Int: BackgroundTask?] {
        system.tasks.withLock { $0.mapValues { BackgroundTask(text: $0.text) } }
    }

    func start(_ request: BackgroundRequest, _ task: BackgroundTask) -> Int {
        system.add(.init(request: request, text: task.text))
    }

    func cancel(_ number: Int) {
        system.tasks.withLock { $0[number]?.isCancelled = true }
        end(number, nil, TransportError(.cancelled, "cancelled"))
    }

    // MARK: The delegate

    func receive(_ event: BackgroundEvent, _ number: Int) {
        center.receive(event, number: number, text: system.tasks.withLock { $0[number]?.text })
    }

    /// Ends a task.
    func end(_ number: Int, _ status: Int?, _ error: TransportError? = nil, resumption: Data? = nil, headers: HeaderFields = [:])
    {
        let text = system.tasks.withLock { $0.removeValue(forKey: number)?.text }
        let head = status.map { BackgroundHead(status: $0, headers: headers) }
        center.receive(.ended(head, error, resumption: resumption), number: number, text: text)
    }

    /// Ends a download with a file of the system.
    func download(_ number: Int, _ status: Int, _ content: Data, in folder: TemporaryFolder) throws {
        let file = try folder.write(content, to: "system-\(number)")
        receive(.downloaded(BackgroundHead(status: status, headers: [:]), file), number)
        try? FileManager.default.removeItem(at: file)
        end(number, status)
    }
}

/// The transfers of one process of an app.
struct FakeApp: Sendable {
    let transfers: BackgroundTransfers
    let session: FakeBackgroundSession

    init(
        _ system: FakeBackgroundSystem, in folder: TemporaryFolder, options: BackgroundOptions = BackgroundOptions(),
        headers: HeaderFields = [:]
    ) throws {
        let center = BackgroundCenter(
            identifier: "test", folder: folder.file("records"), maximumBodyBytes: options.maximumBodyBytes)
        session = FakeBackgroundSession(system: system, center: center)
        transfers = BackgroundTransfers(
            center: center, configuration: try APIConfiguration("https://api.test/v1?key=1", headers: headers), options: options)
        center.open(session)
    }
}
