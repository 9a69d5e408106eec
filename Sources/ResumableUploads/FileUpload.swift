import DataTransfer
import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A resumable upload of a file, from opening it to the response after which the server has all of its bytes.
///
/// The position comes from the server alone: from the response to a part, and from HEAD after anything else. So no failure, wherever it occurs,
/// can leave out bytes or repeat them.
struct FileUpload: Sendable {
    let file: URL
    let options: UploadOptions
    let requests: UploadRequests
    let progress: UploadProgress?
    let service: any DataTransferService

    /// What is known about the upload on the server.
    struct Upload {
        var url: URL
        /// The position up to which the server has the file; `nil` if it must be asked.
        var offset: Int64?
        /// Whether an earlier call has sent bytes that this one does not know of, and that can still arrive.
        let isContinued: Bool
        var record: UploadRecord
    }

    init(
        file: URL, endpoint: RequestDescription, options: UploadOptions, progress: UploadProgress?,
        service: any DataTransferService
    ) {
        self.file = file
        self.options = options
        requests = UploadRequests(endpoint)
        self.progress = progress
        self.service = service
    }

    func run() async throws(DataTransferError) -> UploadedFile {
        do throws(DataTransferError) {
            let (source, state) = try reporting(await Self.inBackground { () throws(UploadFailure) in try open() })
            do throws(DataTransferError) {
                let uploaded = try await transfer(source, state)
                await settle(state, removes: true)
                await progress?.finish()
                return uploaded
            } catch {
                await settle(state, removes: error.uploadFailure?.spoilsUpload ?? false)
                throw error
            }
        } catch {
            await progress?.finish()
            throw error
        }
    }

    /// Removes the upload from the server, and its state.
    ///
    /// - Returns: Whether the server has removed it; `false` also if there is no state.
    func terminate() async throws(DataTransferError) -> Bool {
        let options = options
        let file = file
        let (state, record) = try reporting(
            await Self.inBackground { () throws(UploadFailure) in
                try options.validate(for: file)
                let state = try UploadStateFile.open(options.statePlace(of: file))
                do throws(UploadFailure) {
                    return (state, try state.load())
                } catch {
                    state.close()
                    throw error
                }
            })
        guard let record, let url = URL(string: record.url) else {
            await settle(state, removes: false)
            return false
        }
        do throws(DataTransferError) {
            let endpoint = try request { () throws(TransportError) in try requests.delete(url) }
            let response = try await service.responseResult(for: endpoint).get()
            await settle(state, removes: true)
            return (200..<300).contains(response.statusCode)
        } catch {
            await settle(state, removes: false)
            throw error
        }
    }

    // MARK: Opening and closing

    private func open() throws(UploadFailure) -> (UploadSource, UploadStateFile?) {
        try options.validate(for: file)
        let source = try UploadSource(file)
        guard source.length <= UploadRecord.maximumLength else {
            throw UploadFailure(.tooLarge, "the file has more than \(UploadRecord.maximumLength) bytes", url: file)
        }
        return (source, options.resumes ? try UploadStateFile.open(options.statePlace(of: file)) : nil)
    }

    /// Unlocks the state after the end of the upload.
    ///
    /// - Parameter removes: Whether it is removed. A state that remains after a complete upload does no harm: the next call finds that the server
    ///   has all bytes, or that the upload is gone.
    private func settle(_ state: UploadStateFile?, removes: Bool) async {
        guard let state else { return }
        await BackgroundThreads.files.perform {
            if removes { try? state.remove() }
            state.close()
        }
    }

    // MARK: The loop

    private func transfer(_ source: UploadSource, _ state: UploadStateFile?) async throws(DataTransferError) -> UploadedFile {
        var attempts = UploadAttempts(options, deadline: requests.deadline)
        let server = try await server(&attempts)
        let creator = UploadRecord.hash(SignedQuery.removed(from: server.url))
        var upload = try await saved(source, state, creator)
        var resumedFrom: Int64?
        var isRecreated = false
        while true {
            guard var current = upload else {
                upload = try await create(source, state, server, creator, &attempts)
                continue
            }
            let outcome: UploadOutcome
            let expires: Int64?
            if let offset = current.offset {
                if resumedFrom == nil { resumedFrom = offset }
                attempts.reached(offset)
                progress?.reached(offset, of: source.length)
                if offset == source.length { break }
                guard let (patched, time) = try await send(source, current.url, offset, server, &attempts) else {
                    upload?.offset = nil
                    continue
                }
                (outcome, expires) = (patched, time)
                if outcome == .offset(offset) {
                    try await pause(after: .noProgress, "the server responded with success, but has not stored a byte", &attempts)
                }
            } else {
                guard let asked = try await ask(source, current, &attempts) else { continue }
                (outcome, expires) = (asked, nil)
            }
            switch outcome {
            case .offset(let offset):
                source.noteSent(offset)
                current.offset = offset
                if let expires, expires != current.record.expires {
                    current.record.expires = expires
                    try await save(current.record, state)
                }
                upload = current
            case .gone:
                guard !isRecreated else {
                    throw failed(.gone, "the upload does not exist any more, after it was created once more")
                }
                isRecreated = true
                // The saved state is replaced when another upload exists.
                upload = nil
                attempts.restart()
                resumedFrom = resumedFrom.map { _ in 0 }
            case .conflict:
                upload?.offset = nil
                try await pause(after: .conflict, "the server refuses the position that it has reported before (409)", &attempts)
            case .locked:
                upload?.offset = nil
                try await pause(after: .locked, "another request is using the upload (423)", &attempts)
            case .damaged:
                try await unchanged(source)
                // The server has discarded the bytes, so the position is still known.
                try await pause(after: .checksumMismatch, "the server received other bytes than were sent (460)", &attempts)
            }
        }
        try await unchanged(source)
        return UploadedFile(
            url: upload?.url ?? server.url, byteCount: source.length, resumedFrom: resumedFrom ?? 0,
            expires: upload?.record.expires.map { Date(timeIntervalSince1970: TimeInterval($0)) })
    }

    /// Returns the upload that an earlier call has begun at this server; `nil` without one.
    private func saved(
        _ source: UploadSource, _ state: UploadStateFile?, _ creator: String
    ) async throws(DataTransferError) -> Upload? {
        guard let state else { return nil }
        let record = try reporting(await Self.inBackground { () throws(UploadFailure) in try state.load() })
        guard let record, record.creator == creator, let url = URL(string: record.url) else { return nil }
        guard record.file == source.identity else {
            throw report(
                UploadFailure(
                    .fileChanged,
                    "the file has other content than the one whose upload was begun: it had \(record.file.length) bytes, and has \(source.length)",
                    url: file))
        }
        return Upload(url: url, offset: nil, isContinued: true, record: record)
    }

    // MARK: Failures

    /// Waits before the next attempt after a response that is neither a success nor a failure of the upload.
    private func pause(
        after code: UploadFailure.Code, _ message: String, _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) {
        guard try await continuing({ () async throws(TransportError) in try await attempts.pause() }) else {
            throw failed(code, "\(message), \(options.maximumAttempts) times in a row (maximumAttempts)")
        }
    }

    func continuing(_ decide: () async throws(TransportError) -> Bool) async throws(DataTransferError) -> Bool {
        do throws(TransportError) {
            return try await decide()
        } catch {
            throw service.report(.networkFailure(NetworkError(error)))
        }
    }

    func unchanged(_ source: UploadSource) async throws(DataTransferError) {
        try reporting(await Self.inBackground { () throws(UploadFailure) in try source.checkUnchanged() })
    }

    func save(_ record: UploadRecord, _ state: UploadStateFile?) async throws(DataTransferError) {
        guard let state else { return }
        try reporting(await Self.inBackground { () throws(UploadFailure) in try state.save(record) })
    }

    func request(_ make: () throws(TransportError) -> Endpoint<Void>) throws(DataTransferError) -> Endpoint<Void> {
        do throws(TransportError) {
            return try make()
        } catch {
            throw service.report(.networkFailure(NetworkError(error)))
        }
    }

    func failed(_ code: UploadFailure.Code, _ message: String) -> DataTransferError {
        report(UploadFailure(code, message, url: file))
    }

    /// Adds the request to a failure, logs it, and returns it as an error of the service.
    func report(_ failure: UploadFailure) -> DataTransferError {
        var failure = failure
        failure.request = requests.text
        return service.report(.operation(failure))
    }

    func reporting<Value>(_ result: Result<Value, UploadFailure>) throws(DataTransferError) -> Value {
        do throws(UploadFailure) {
            return try result.get()
        } catch {
            throw report(error)
        }
    }

    static func inBackground<Value: Sendable>(
        _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) async -> Result<Value, UploadFailure> {
        await Result.from { () async throws(UploadFailure) in try await BackgroundThreads.files.value(work) }
    }
}
