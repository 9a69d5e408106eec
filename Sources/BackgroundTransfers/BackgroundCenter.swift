import DataTransfer
import Endpoints
import Foundation
import NetworkCore
import NetworkSupport
@_spi(SessionManagers) import NetworkTransport

/// The transfers of one background session: what the system reports of them, and the calls that wait for them.
///
/// Events are processed on the queue of the session's delegate, one at a time, and may block it for as long as a file is written or renamed: the
/// system may suspend the app as soon as the last event was processed. Calls wait for no event.
package final class BackgroundCenter: Sendable {
    let identifier: String
    private let store: BackgroundStore
    private let maximumBodyBytes: Int
    private let state = Locked(BackgroundState())
    private let session = Locked<(any BackgroundSession)?>(nil)
    private let eventsEnd = Locked<[@MainActor @Sendable () -> Void]>([])
    /// Ends when the transfers of earlier processes are known; with the error of all calls if the session cannot be used.
    private let adoption = Locked<Task<DataTransferError?, Never>?>(nil)

    /// Creates a center without a session; ``open(_:)`` follows.
    ///
    /// - Parameters:
    ///   - folder: The folder for outcomes and bodies, for this session alone.
    ///   - maximumBodyBytes: The maximum size of the response to an upload.
    package init(identifier: String, folder: URL, maximumBodyBytes: Int) {
        self.identifier = identifier
        self.maximumBodyBytes = maximumBodyBytes
        store = BackgroundStore(folder: folder)
    }

    /// Adopts the tasks of a session whose delegate passes its events to this center. Called once.
    package func open(_ session: any BackgroundSession) {
        self.session.withLock { $0 = session }
        let task = Task { await self.adopt(session) }
        adoption.withLock { $0 = task }
    }

    /// Refuses all calls, because there is no session. Called instead of ``open(_:)``.
    package func refuse(with error: TransportError) {
        let task = Task { DataTransferError?.some(.networkFailure(NetworkError(error))) }
        adoption.withLock { $0 = task }
    }

    private func adopt(_ session: any BackgroundSession) async -> DataTransferError? {
        let tasks = await session.tasks()
        for (number, task) in tasks {
            // A task without a description is of another version of the app, and nothing could be done with its response.
            guard let task else {
                session.cancel(number)
                continue
            }
            state.withLock { $0.adopt(task, number: number) }
        }
        let names = state.withLock { state in
            state.endAdoption()
            return state.bodyNames
        }
        do throws(FileFailure) {
            try await BackgroundThreads.files.value { [store] () throws(FileFailure) in
                try store.prepare()
                store.sweep(keeping: names)
            }
            return nil
        } catch {
            return .file(error)
        }
    }

    private func adopted() async throws(DataTransferError) {
        let adoption = adoption.withLock(\.self)
        if let error = await adoption?.value { throw error }
    }

    // MARK: Calls

    /// Starts a transfer or joins it, and returns its outcome.
    func outcome(
        of task: BackgroundTask, _ request: NetworkRequest, progress: (any TransferProgressObserver)?
    ) async throws(DataTransferError) -> BackgroundOutcome {
        try await adopted()
        let waiter = BackgroundState.Waiter(outcome: Promise(), progress: progress)
        switch state.withLock({ $0.join(task, waiter) }) {
        case .wait: break
        case .begin: Task { await self.begin(task, request) }
        case .refuse(let other):
            throw failure(
                request, .invalidRequest,
                "id: a transfer \"\(task.id.printable)\" to \(other.place) has not ended, and is another one")
        case .refuseAsTooMany:
            throw failure(request, .notAdmitted, "\(BackgroundState.maximumTransfers) transfers of this session have not ended")
        }
        guard let outcome = await waiter.outcome.value(cancellation: { nil }) else {
            throw failure(request, .cancelled, "the task was cancelled; the transfer continues in the background")
        }
        return outcome
    }

    private func failure(_ request: NetworkRequest, _ code: TransportError.Code, _ message: String) -> DataTransferError {
        .networkFailure(NetworkError(TransportError(code, message, request: request)))
    }

    /// Delivers the stored outcome of a transfer, or starts it.
    private func begin(_ task: BackgroundTask, _ request: NetworkRequest) async {
        let found = try? await BackgroundThreads.files.value { [store, maximumBodyBytes] () throws(FileFailure) in
            let outcome = store.outcome(of: task.id, maximumBodyBytes: maximumBodyBytes)
            return (outcome: outcome, resumption: outcome == nil ? store.takeResumption(of: task) : nil)
        }
        if let outcome = found?.outcome, outcome.task.isSame(as: task) { return deliver(outcome, number: nil) }
        var (sent, started) = (BackgroundRequest(request: request, resumption: found?.resumption), task)
        if task.destination == nil, let body = request.body {
            do throws(DataTransferError) {
                (sent.file, started.bodyName) = try await file(of: body, request)
            } catch {
                var outcome = BackgroundOutcome(task)
                outcome.fail(error)
                return deliver(outcome, number: nil)
            }
            sent.request.body = nil
        }
        guard let session = session.withLock(\.self) else { return }
        // With the lock, so that an event of the task finds the transfer, and a cancellation finds the task.
        let isWanted = state.withLock { state in
            guard state.isPreparing(task.id) else { return false }
            return state.start(started, number: session.start(sent, started))
        }
        if !isWanted { store.removeBody(started.bodyName) }
    }

    /// Returns the file of a body: the caller's, or a new one.
    private func file(of body: NetworkBody, _ request: NetworkRequest) async throws(DataTransferError) -> (URL, String?) {
        do throws(TransportError) {
            if case .file(let url) = body.source, try await body.measuredLength(for: request) != nil { return (url, nil) }
            let (name, file) = try await onFiles { [store] () throws(FileFailure) in
                let (name, file) = try store.makeBody()
                return (name, Locked(file))
            }
            var chunks = body.chunksToSend().makeAsyncIterator()
            while let chunk = try await chunks.next() {
                try await onFiles { () throws(FileFailure) in
                    let isWritten = file.withLock { file in chunk.withUnsafeBytes { file.descriptor.write($0) } }
                    if !isWritten { throw FileFailure(.notWritable, "a body cannot be written", url: self.store.folder) }
                }
            }
            let url = try await onFiles { [store] () throws(FileFailure) in
                try file.withLock { file throws(FileFailure) in try store.keep(file, name: name) }
            }
            return (url, name)
        } catch {
            throw .networkFailure(NetworkError(TransportError(like: error, request: request)))
        }
    }

    private func onFiles<Value: Sendable>(
        _ work: @escaping @Sendable () throws(FileFailure) -> Value
    ) async throws(TransportError) -> Value {
        do throws(FileFailure) {
            return try await BackgroundThreads.files.value(work)
        } catch {
            throw TransportError(.bodyFailed, "the file of the body: \(error)", underlying: error)
        }
    }

    func cancel(_ id: String) async {
        _ = try? await adopted()
        let number = state.withLock { $0.number(of: id) }
        _ = try? await BackgroundThreads.files.value { [store] () throws(FileFailure) in store.forget(id) }
        if let number {
            // The end of the task is an event, with which the calls fail.
            session.withLock(\.self)?.cancel(number)
        } else if let task = state.withLock({ $0.prepared(id) }) {
            var outcome = BackgroundOutcome(task)
            outcome.failure = .init(TransportError(.cancelled, "the transfer was cancelled"))
            deliver(outcome, number: nil)
        }
    }

    func runningIDs() async -> [String] {
        _ = try? await adopted()
        return state.withLock(\.ids)
    }

    func waitingCalls(of id: String) async -> Int {
        _ = try? await adopted()
        return state.withLock { $0.waitingCalls(of: id) }
    }

    func endedIDs() async -> [String] {
        _ = try? await adopted()
        let ids = try? await BackgroundThreads.files.value { [store, maximumBodyBytes] () throws(FileFailure) in
            store.endedIDs(maximumBodyBytes: maximumBodyBytes)
        }
        return ids ?? []
    }

    func whenEventsEnd(_ completion: @escaping @MainActor @Sendable () -> Void) {
        eventsEnd.withLock { $0.append(completion) }
    }

    // MARK: Events of the session, on the queue of its delegate

    /// Processes the end of the events that the system has kept for this session.
    package func endEvents() {
        let completions = eventsEnd.withLock { completions in
            defer { completions = [] }
            return completions
        }
        if !completions.isEmpty { Task { @MainActor in for completion in completions { completion() } } }
    }

    /// Processes an event of a task. Blocks while files are written.
    ///
    /// - Parameter text: The description that is stored with the task. Events of tasks without one are ignored.
    package func receive(_ event: BackgroundEvent, number: Int, text: String?) {
        guard let task = BackgroundTask(text: text) else { return }
        switch event {
        case .sent(let count, let total):
            report(task) { ($0.bytesSent, $0.totalBytesToSend) = (count, total) }
        case .received(let count, let total):
            report(task) { ($0.bytesReceived, $0.totalBytesToReceive) = (count, total) }
            guard let maximum = task.maximumBytes, max(count, total ?? 0) > maximum else { return }
            fail(task, number, .init(FileFailure.tooLarge(task, maximum)))
        case .data(let data):
            let isTooLarge = state.withLock { state in
                var isTooLarge = false
                state.receive(task, number: number) { partial in
                    isTooLarge = data.count > maximumBodyBytes - partial.body.count
                    if !isTooLarge { partial.body.append(data) }
                }
                return isTooLarge
            }
            guard isTooLarge else { return }
            let message = "the response is larger than \(maximumBodyBytes) bytes (maximumBodyBytes)"
            fail(task, number, .init(TransportError(.bodyTooLarge, message, phase: .receive)))
        case .downloaded(let head, let file):
            place(file, task, number, head)
        case .ended(let head, let error, let resumption):
            end(task, number, head, error, resumption)
        }
    }

    private func report(_ task: BackgroundTask, _ change: (inout TransferProgress) -> Void) {
        let (progress, observers) = state.withLock { $0.report(task, change) }
        for observer in observers { observer.transferDidProgress(progress) }
    }

    /// Records why a task is cancelled. Its end follows.
    private func fail(_ task: BackgroundTask, _ number: Int, _ failure: BackgroundOutcome.Failure) {
        state.withLock { state in
            state.receive(task, number: number) { if $0.failure == nil { $0.failure = failure } }
        }
        session.withLock(\.self)?.cancel(number)
    }

    /// Gives a downloaded file its final name, or reads the beginning of a response whose status is refused.
    private func place(_ file: URL, _ task: BackgroundTask, _ number: Int, _ head: BackgroundHead?) {
        guard let destination = task.destination else { return }
        guard let head, task.accepts(head.status) else {
            let start = Self.start(of: file)
            return state.withLock { $0.receive(task, number: number) { $0.body = start } }
        }
        let placed = Result { () throws(FileFailure) in try destination.place(file, of: task) }
        state.withLock { state in
            state.receive(task, number: number) { partial in
                switch placed {
                case .success(let count): partial.fileBytes = count
                case .failure(let failure): partial.failure = .init(failure)
                }
            }
        }
    }

    /// The maximum number of bytes that are kept of a response whose status is refused.
    private static let maximumRefusedBytes = 64 << 10

    private static func start(of file: URL) -> Data {
        guard let descriptor = FileDescriptor.open(file.path, O_RDONLY) else { return Data() }
        var data = Data(count: maximumRefusedBytes)
        let count = data.withUnsafeMutableBytes { descriptor.read(into: $0) } ?? 0
        return data.prefix(count)
    }

    private func end(
        _ task: BackgroundTask, _ number: Int, _ head: BackgroundHead?, _ error: TransportError?, _ resumption: Data?
    ) {
        let partial = state.withLock { $0.takePartial(task) }
        var outcome = BackgroundOutcome(task, head: head)
        outcome.body = partial.body
        outcome.fileBytes = partial.fileBytes
        outcome.failure = partial.failure ?? error.map { .init($0) }
        if outcome.failure == nil, task.destination != nil, outcome.fileBytes == nil, let head, task.accepts(head.status) {
            outcome.failure = .init(TransportError(.incompleteBody, "the task ended without a file", phase: .receive))
        }
        if let resumption, partial.failure == nil { store.save(resumption: resumption, of: task) }
        store.removeBody(task.bodyName)
        deliver(outcome, number: number)
    }

    /// Stores an outcome, and passes it to the calls that wait for it. Then it is removed, unless there is no such call.
    private func deliver(_ outcome: BackgroundOutcome, number: Int?) {
        // Stored first: a call that comes meanwhile finds either the transfer or its outcome, and so does a process after this one.
        // A transfer that the app has cancelled has no outcome for later calls.
        if outcome.failure?.code != TransportError.Code.cancelled.rawValue { try? store.save(outcome) }
        let (waiters, other) = state.withLock { $0.end(outcome.task, number: number) }
        for waiter in waiters {
            waiter.progress?.transferDidProgress(TransferProgress(bytesReceived: outcome.fileBytes ?? 0, isFinished: true))
        }
        let isDelivered = waiters.reduce(false) { $1.outcome.resolve(outcome) || $0 }
        if isDelivered { store.removeOutcome(of: outcome.task.id) }
        if let other { session.withLock(\.self)?.cancel(other) }
    }
}

extension BackgroundOutcome {
    /// Records the error of a transfer that was not started.
    fileprivate mutating func fail(_ error: DataTransferError) {
        if let failure = error.networkError?.transportError {
            self.failure = .init(failure)
        } else if let failure = error.fileFailure {
            self.failure = .init(failure)
        }
    }
}

extension BackgroundTask {
    /// The method and URL, without its query.
    fileprivate var place: String { "\(method) \(URLText(url).originAndPath.printableLine)" }
}

extension FileFailure {
    fileprivate static func tooLarge(_ task: BackgroundTask, _ maximum: Int64) -> FileFailure {
        FileFailure(
            .tooLarge, "the response is larger than \(maximum) bytes (maximumBytes)",
            url: task.destination?.url ?? URL(fileURLWithPath: "/"))
    }
}

extension BackgroundTask.Destination {
    /// Moves a downloaded file to this place, with the permissions 0600.
    ///
    /// - Returns: Its length in bytes.
    fileprivate func place(_ file: URL, of task: BackgroundTask) throws(FileFailure) -> Int64 {
        let url = self.url
        guard let status = stat(of: file.path), status.isRegular else {
            throw FileFailure(.other, "the system passes no file", url: url)
        }
        if let maximumBytes, status.st_size > maximumBytes { throw .tooLarge(task, maximumBytes) }
        guard chmod(file.path, 0o600) == 0 else { throw FileFailure("cannot be made private", url: url, .last) }
        let error = replaces ? (rename(file.path, url.path) == 0 ? nil : errno) : renameExclusively(file.path, url.path)
        if let error { throw FileFailure("cannot be renamed", url: url, SystemError(error)) }
        return Int64(status.st_size)
    }
}
