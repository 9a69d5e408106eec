import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The loading of a file by several requests at the same time, each of a range of it.
///
/// The first response contains all missing bytes, and the other requests take parts from its end. So a server that does not support ranges, or
/// limits connections, costs nothing but the refused requests: the first response reaches the parts that no other contains. Each part is
/// requested with `If-Range` and the validator of the first response, so that parts of two versions are never combined. A loader ends
/// at its first failure; the others take over its part.
struct RangeDownload: Sendable {
    private struct State {
        var plan: RangePlan
        var savedBytes: Int64
        var isSaving = false
        var checks: Set<DigestCheck> = []
    }

    /// Why a loader has ended before the file was complete.
    enum Failure: Error {
        /// The body of a response was interrupted.
        case interrupted(TransportError)
        /// The request failed without an acceptable response. The error has been logged.
        case request(DataTransferError)
        /// The file could not be written.
        case file(FileFailure)
        /// The response does not contain the requested range of the same version.
        case unusable
    }

    /// The number of received bytes after which the record is written again, so that a process that is killed loses no more of them.
    private static let savingInterval: Int64 = 16 << 20

    let download: FileDownload
    let partial: PartialFile
    let record: DownloadRecord
    /// The response that contains all bytes that are missing from its start on.
    let first: DataTransferStream
    private let state: Locked<State>

    /// Creates the loading of the missing parts of a file.
    ///
    /// - Parameter record: The record of the partial file, with the ranges that have been written.
    init(_ download: FileDownload, into partial: PartialFile, _ record: DownloadRecord, total: Int64, first: DataTransferStream) {
        self.download = download
        self.partial = partial
        self.record = record
        self.first = first
        let plan = RangePlan(
            total: total, received: record.ranges ?? [], count: download.options.maximumConcurrency,
            minimumBytes: download.options.minimumRangeBytes)
        state = Locked(State(plan: plan, savedBytes: plan.receivedBytes))
    }

    /// Loads the missing bytes. When it returns or throws, nothing writes to the file any more, and the record contains what it has.
    ///
    /// - Returns: The digests of the complete file that the responses announced.
    /// - Throws: The most important failure, if the file is not complete.
    func run() async throws(Failure) -> [DigestCheck] {
        download.progress?.beginRanges(at: state.withLock(\.plan.receivedBytes), of: state.withLock(\.plan.total))
        let failures = await load()
        first.stop()
        let (isComplete, ranges, checks) = state.withLock { ($0.plan.isComplete, $0.plan.written, $0.checks) }
        if let failure = failures.first(where: \.isOfFile) {
            // The bytes that the record does not contain would be loaded again.
            try? await save(ranges)
            throw failure
        }
        if isComplete { return checks.sorted { $0.source < $1.source } }
        do throws(FileFailure) {
            try await save(ranges)
        } catch {
            throw .file(error)
        }
        throw failures.min { $0.rank < $1.rank } ?? .unusable
    }

    private func load() async -> [Failure] {
        // The first response begins with the first missing byte.
        let part = state.withLock { $0.plan.take() }
        return await withTaskGroup(of: Failure?.self) { group in
            group.addTask { await work(part, first) }
            for _ in 1..<max(download.options.maximumConcurrency, 1) { group.addTask { await work() } }
            var idle = 0
            var failures: [Failure] = []
            for await failure in group {
                if let failure {
                    failures.append(failure)
                    if failure.isOfFile { group.cancelAll() }
                    // A loader that found no part earlier takes over the one that was returned.
                    if idle > 0, !failure.isOfFile {
                        idle -= 1
                        group.addTask { await work() }
                    }
                } else {
                    idle += 1
                }
                // Requests of which no byte is needed any more may still wait for a connection.
                if state.withLock(\.plan.isComplete) { group.cancelAll() }
            }
            return failures
        }
    }

    /// Loads parts until there are no more.
    ///
    /// - Parameters:
    ///   - part: The first part. Default: the next one of the plan.
    ///   - stream: The response that contains the first part; `nil` if it is to be requested.
    private func work(_ part: RangePlan.Part? = nil, _ stream: DataTransferStream? = nil) async -> Failure? {
        var (begun, stream) = (part, stream)
        while let part = begun ?? state.withLock({ $0.plan.take() }) {
            begun = nil
            do throws(Failure) {
                let limit = stream == nil ? part.end : state.withLock(\.plan.total)
                let current = if let stream { stream } else { try await request(part) }
                stream = nil
                // Another response may have reached the part while it was requested.
                guard state.withLock({ $0.plan.begin(part.id) }) else {
                    current.stop()
                    continue
                }
                try await receive(part, from: current, upTo: limit)
            } catch {
                state.withLock { $0.plan.release(part.id) }
                return error
            }
        }
        return nil
    }

    private func request(_ part: RangePlan.Part) async throws(Failure) -> DataTransferStream {
        let stream: DataTransferStream
        do throws(DataTransferError) {
            stream = try await download.stream(part.position..<part.end, of: record)
        } catch {
            throw .request(error)
        }
        let resumption = Resumption(offset: part.position, record: record)
        guard case .rest(let content) = resumption.decision(on: stream.statusCode, stream.headers, from: stream.url),
            content.range == part.position..<part.end
        else {
            stream.stop()
            throw .unusable
        }
        return stream
    }

    /// Writes the bytes of a part to the file.
    ///
    /// - Parameter limit: The end of the response in the file, which may be after that of the part.
    private func receive(_ part: RangePlan.Part, from stream: DataTransferStream, upTo limit: Int64) async throws(Failure) {
        let checks = download.announcedChecks(stream, at: -1).filter { $0.start == 0 }
        state.withLock { $0.checks.formUnion(checks) }
        let writer = FileWriter(partial.file, from: part.position)
        let result: Failure?
        do throws(Failure) {
            try await copy(part, from: stream, to: writer, upTo: limit)
            result = nil
        } catch {
            result = error
        }
        do throws(FileFailure) {
            _ = try await writer.finish()
            state.withLock { $0.plan.note(written: writer.written, of: part.id) }
        } catch {
            throw .file(error)
        }
        if let result { throw result }
    }

    private func copy(
        _ part: RangePlan.Part, from stream: DataTransferStream, to writer: FileWriter, upTo limit: Int64
    ) async throws(Failure) {
        var chunks = stream.response.body.makeAsyncIterator()
        while true {
            let next: Data?
            do throws(TransportError) {
                next = try await chunks.next()
            } catch {
                throw .interrupted(error)
            }
            guard let chunk = next else {
                throw .interrupted(TransportError(.incompleteBody, "the range is shorter than announced"))
            }
            var rest = chunk
            repeat {
                let accepted = state.withLock { $0.plan.receive(rest.count, of: part.id) }
                do throws(FileFailure) {
                    try await writer.write(rest.prefix(accepted))
                    try await note(writer, part)
                } catch {
                    throw .file(error)
                }
                rest = rest.dropFirst(accepted)
                let (end, isComplete) = state.withLock { state in
                    let isComplete = state.plan.part(part.id).isComplete && !state.plan.extend(part.id, upTo: limit)
                    return (state.plan.part(part.id).end, isComplete)
                }
                guard isComplete else { continue }
                // A response that has been read to its end leaves its connection for the next request.
                if end < limit || !rest.isEmpty { stream.stop() } else { _ = try? await chunks.next() }
                return
            } while !rest.isEmpty
        }
    }

    /// Records what has been written, and writes the record from time to time.
    private func note(_ writer: FileWriter, _ part: RangePlan.Part) async throws(FileFailure) {
        let (received, ranges): (Int64, [Range<Int64>]?) = state.withLock { state in
            state.plan.note(written: writer.written, of: part.id)
            let received = state.plan.receivedBytes
            guard !state.isSaving, received - state.savedBytes >= Self.savingInterval else { return (received, nil) }
            state.isSaving = true
            state.savedBytes = received
            return (received, state.plan.written)
        }
        download.progress?.note(received: received)
        guard let ranges else { return }
        defer { state.withLock { $0.isSaving = false } }
        try await save(ranges)
    }

    private func save(_ ranges: [Range<Int64>]) async throws(FileFailure) {
        var record = record
        record.ranges = ranges
        try await BlockingWork.run(on: partial.place.url) { [record] () throws(FileFailure) in try partial.update(record) }
    }
}

extension RangeDownload.Failure {
    fileprivate var isOfFile: Bool {
        if case .file = self { true } else { false }
    }

    /// The importance of the failure: the lowest one of several is reported.
    fileprivate var rank: Int {
        switch self {
        case .file: 0
        case .interrupted(let error): error.code == .cancelled ? 1 : 2
        case .request(let error): error.isCancelled ? 1 : 3
        case .unusable: 4
        }
    }
}
