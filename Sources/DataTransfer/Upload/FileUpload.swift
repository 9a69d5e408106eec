import Endpoints
import Foundation
import NetworkCore
import NetworkFiles
import NetworkLogging

/// A resumable upload of a file, from opening it to the response after which the server has all of its bytes.
///
/// The position comes from the server alone: from the response to a part, and from HEAD after anything else. So no failure, wherever it occurs,
/// can leave out bytes or repeat them.
struct FileUpload: Sendable {
    private let file: URL
    private let options: UploadOptions
    private let requests: UploadRequests
    private let progress: UploadProgress?
    private let service: any DataTransferService

    /// What is known about the upload on the server.
    private struct Upload {
        var url: URL
        /// The position up to which the server has the file; `nil` if it must be asked.
        var offset: Int64?
        /// Whether an earlier call has sent bytes that this one does not know of.
        var isContinued: Bool
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
            let response = try await service.response(for: try request { () throws(TransportError) in try requests.delete(url) })
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
        var attempts = UploadAttempts(options)
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
                current.isContinued = false
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
                try reporting(await Self.inBackground { () throws(UploadFailure) in try state?.remove() })
                upload = nil
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

    /// Asks what the server supports.
    private func server(_ attempts: inout UploadAttempts) async throws(DataTransferError) -> UploadServer {
        while true {
            let continuation = attempts.continuation
            let options = try request { () throws(TransportError) in try requests.options(continuation) }
            guard let response = try await response(to: options, &attempts) else { continue }
            return try reporting(
                Result { () throws(UploadFailure) in try UploadServer(response.headers, url: response.url, file: file) })
        }
    }

    /// Returns the upload that an earlier call has begun; `nil` if there is none at this server.
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

    private func create(
        _ source: UploadSource, _ state: UploadStateFile?, _ server: UploadServer, _ creator: String,
        _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) -> Upload? {
        try reporting(Result { () throws(UploadFailure) in try server.checkLength(source.length, file: file) })
        let continuation = attempts.continuation
        let post = try request { () throws(TransportError) in
            try requests.post(length: source.length, metadata: options.encodedMetadata, continuation)
        }
        // If the response was lost, another upload is created, and the server removes the empty one in time.
        guard let response = try await response(to: post, &attempts) else { return nil }
        let url = try reporting(
            Result { () throws(UploadFailure) in
                try UploadOutcome.refusal(response.statusCode, response.headers, file: file)
                return try UploadLocation.url(in: response.headers, of: response.url, file: file)
            })
        let record = UploadRecord(
            url: url.absoluteString, creator: creator, file: source.identity, expires: response.headers.uploadExpiry)
        try await save(record, state)
        source.beginUpload()
        // An empty file is complete at once if the server says so.
        return Upload(url: url, offset: source.length == 0 ? nil : 0, isContinued: false, record: record)
    }

    /// Asks for the position; `nil` after a failure from which the upload continues.
    private func ask(
        _ source: UploadSource, _ upload: Upload, _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) -> UploadOutcome? {
        let continuation = attempts.continuation
        let head = try request { () throws(TransportError) in try requests.head(upload.url, continuation) }
        guard let response = try await response(to: head, &attempts) else { return nil }
        return try reporting(
            Result { () throws(UploadFailure) in
                try UploadOutcome(
                    toHead: response.statusCode, response.headers, length: source.length,
                    sentEnd: upload.isContinued ? nil : source.sentEnd, file: file)
            })
    }

    /// Sends the next part; `nil` after a failure from which the upload continues at the position of the server.
    private func send(
        _ source: UploadSource, _ url: URL, _ offset: Int64, _ server: UploadServer, _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) -> (UploadOutcome, expires: Int64?)? {
        let end = options.chunkBytes.map { min(source.length - offset, $0) + offset } ?? source.length
        var checksum: String?
        if options.chunkBytes != nil, options.sendsChecksums, let kind = server.checksum {
            let digest = try reporting(
                await Result.from { () async throws(UploadFailure) in
                    switch kind {
                    case .sha256: try await source.digest(offset..<end, SHA256.self)
                    case .sha1: try await source.digest(offset..<end, SHA1.self)
                    }
                })
            checksum = "\(kind.rawValue) \(Data(digest).base64EncodedString())"
        }
        try await unchanged(source)
        let continuation = attempts.continuation
        let patch = try request { () throws(TransportError) in
            try requests.patch(
                url, at: offset, source.body(offset..<end), checksum: checksum, continuation, progress?.part(from: offset))
        }
        guard let response = try await response(to: patch, &attempts) else { return nil }
        let outcome = try reporting(
            Result { () throws(UploadFailure) in
                try UploadOutcome(toPatch: response.statusCode, response.headers, sending: offset..<end, file: file)
            })
        return (outcome, response.headers.uploadExpiry)
    }

    // MARK: Failures

    /// Sends a request; returns `nil` after a temporary failure, when it is time for the next attempt.
    ///
    /// - Throws: The failure if it is not temporary, or if it was the last attempt.
    private func response(
        to endpoint: Endpoint<Void>, _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) -> DataTransferResponse<Void>? {
        attempts.continuation.forgetDecision()
        let failure: DataTransferError
        do throws(DataTransferError) {
            return try await service.response(for: endpoint)
        } catch {
            failure = error
        }
        // The file failed, not the network. The service has logged it.
        if var cause = failure.networkError?.transportError?.underlying as? UploadFailure {
            cause.request = requests.text
            throw .upload(cause)
        }
        guard try await continuing({ () async throws(TransportError) in try await attempts.mayContinue(after: failure) }) else {
            throw failure
        }
        return nil
    }

    /// Waits before the next attempt after a response that is neither a success nor a failure of the upload.
    private func pause(
        after code: UploadFailure.Code, _ message: String, _ attempts: inout UploadAttempts
    ) async throws(DataTransferError) {
        guard try await continuing({ () async throws(TransportError) in try await attempts.pause(requested: nil) }) else {
            throw failed(code, "\(message), \(options.maximumAttempts) times in a row (maximumAttempts)")
        }
    }

    private func continuing(_ decide: () async throws(TransportError) -> Bool) async throws(DataTransferError) -> Bool {
        do throws(TransportError) {
            return try await decide()
        } catch {
            throw service.report(.networkFailure(NetworkError(error)))
        }
    }

    private func unchanged(_ source: UploadSource) async throws(DataTransferError) {
        try reporting(await Self.inBackground { () throws(UploadFailure) in try source.checkUnchanged() })
    }

    private func save(_ record: UploadRecord, _ state: UploadStateFile?) async throws(DataTransferError) {
        guard let state else { return }
        try reporting(await Self.inBackground { () throws(UploadFailure) in try state.save(record) })
    }

    private func request(_ make: () throws(TransportError) -> Endpoint<Void>) throws(DataTransferError) -> Endpoint<Void> {
        do throws(TransportError) {
            return try make()
        } catch {
            throw service.report(.networkFailure(NetworkError(error)))
        }
    }

    private func failed(_ code: UploadFailure.Code, _ message: String) -> DataTransferError {
        report(UploadFailure(code, message, url: file))
    }

    /// Adds the request to a failure, logs it, and returns it as an error of the service.
    private func report(_ failure: UploadFailure) -> DataTransferError {
        var failure = failure
        failure.request = requests.text
        return service.report(.upload(failure))
    }

    private func reporting<Value>(_ result: Result<Value, UploadFailure>) throws(DataTransferError) -> Value {
        do throws(UploadFailure) {
            return try result.get()
        } catch {
            throw report(error)
        }
    }

    private static func inBackground<Value: Sendable>(
        _ work: @escaping @Sendable () throws(UploadFailure) -> Value
    ) async -> Result<Value, UploadFailure> {
        await Result.from { () async throws(UploadFailure) in try await BackgroundThreads.files.value(work) }
    }
}

extension HeaderFields {
    /// The time at which the server removes the upload (`Upload-Expires`), in seconds since 1970; `nil` if there is no valid one.
    fileprivate var uploadExpiry: Int64? { self["Upload-Expires"].flatMap { HTTPDate($0)?.secondsSince1970 } }
}
