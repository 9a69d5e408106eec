import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// A download to a file, from opening the partial file to renaming the complete one.
struct FileDownload: Sendable {
    let request: RequestDescription
    let destination: DownloadDestination
    let options: DownloadOptions
    let progress: DownloadProgress?
    let service: any DataTransferService
    /// The number of attempts so far, if an interceptor counts them, and whether the body was interrupted and its rest is to be requested.
    private let attempts = Locked<(count: Int, resumesBody: Bool)>((0, false))
    /// The partial file while it is open, and whether its bytes can be those of a later call.
    private let opened = Locked<(partial: PartialFile?, isKept: Bool)>((nil, false))

    init(
        request: RequestDescription, destination: DownloadDestination, options: DownloadOptions, progress: DownloadProgress?,
        service: any DataTransferService
    ) {
        self.request = request
        self.destination = destination
        self.options = options
        self.progress = progress
        self.service = service
    }

    func run() async throws(DataTransferError) -> DownloadedFile {
        do throws(DataTransferError) {
            let file = try await makeFile()
            await progress?.finish()
            return file
        } catch {
            await progress?.finish()
            throw error
        }
    }

    private func makeFile() async throws(DataTransferError) -> DownloadedFile {
        let (partial, resumption) = try await reporting { () throws(FileFailure) in
            try await BlockingWork.run(on: destination.url) { () throws(FileFailure) in try open() }
        }
        opened.withLock { $0 = (partial, resumption != nil) }
        var current = resumption
        while true {
            do throws(DataTransferError) {
                var file = try await load(into: partial, current)
                // Bytes that were received in this call do not count as resumed.
                file.resumedFrom = min(file.resumedFrom, resumption?.receivedBytes ?? 0)
                file.timings.attempt = max(file.timings.attempt, attempts.withLock(\.count))
                return file
            } catch {
                let resumesBody = attempts.withLock { attempts in
                    defer { attempts.resumesBody = false }
                    return attempts.resumesBody
                }
                if resumesBody {
                    current = await self.resumption(of: partial)
                    continue
                }
                let isKept = await kept(after: error.fileFailure) != nil
                try? await BlockingWork.run(on: partial.place.url) {
                    if !isKept { partial.remove() }
                    partial.file.close()
                }
                throw error
            }
        }
    }

    /// Handles an interrupted body whose received bytes have been written to the file.
    ///
    /// - Returns: The error to throw. It has not been logged if the download is resumed within the call.
    func interruption(
        _ error: TransportError, _ stream: DataTransferStream, _ partial: PartialFile
    ) async -> DataTransferError {
        var error = error
        error.attempts = max(error.attempts, attempts.withLock(\.count))
        if error.request == nil { error.request = stream.request(request.method) }
        guard let attempt = stream.response.countedAttempt, await resumption(of: partial) != nil else {
            return stream.report(NetworkError(error))
        }
        do throws(TransportError) {
            guard try await attempt.permitsRest(after: &error) else { return stream.report(NetworkError(error)) }
        } catch {
            return stream.report(NetworkError(error))
        }
        attempts.withLock { $0.resumesBody = true }
        return .networkFailure(NetworkError(error))
    }

    /// Returns the open partial file if it is kept for a later call, with the number of bytes from which that continues.
    private func kept(after failure: FileFailure?) async -> (partial: PartialFile, byteCount: Int64)? {
        let (partial, isKept) = opened.withLock { $0 }
        guard let partial, isKept, failure?.spoilsFile != true else { return nil }
        return await resumption(of: partial).map { (partial, $0.receivedBytes) }
    }

    private func resumption(of partial: PartialFile) async -> Resumption? {
        guard let identity = DownloadRecord.identity(of: request, options) else { return nil }
        return try? await BlockingWork.run(on: partial.place.url) { partial.resumption(of: identity) }
    }

    // MARK: Opening

    private func open() throws(FileFailure) -> (PartialFile, Resumption?) {
        try options.validate(for: destination.url)
        try destination.validate(options)
        let identity = DownloadRecord.identity(of: request, options)
        let partial = try open(identity ?? DownloadRecord.name(of: request))
        return (partial, identity.flatMap(partial.resumption(of:)))
    }

    private func open(_ identity: String) throws(FileFailure) -> PartialFile {
        guard destination.isFolder else { return try .open(PartialPlace(beside: destination.url)) }
        // Simultaneous downloads to the same folder get different final names, too.
        var number = 1
        while true {
            do throws(FileFailure) {
                return try .open(PartialPlace(in: destination.url, for: identity, number: number))
            } catch {
                guard error.code == .busy, number < 100 else { throw error }
                number += 1
            }
        }
    }

    // MARK: Request and response

    private func load(
        into partial: PartialFile, _ resumption: Resumption?
    ) async throws(DataTransferError) -> DownloadedFile {
        guard let resumption else { return try await loadWhole(into: partial, isDivisible: true) }
        var checks = options.digest?.bytes.map { [DigestCheck(start: 0, expected: $0, source: "the expected digest")] } ?? []
        checks += resumption.record.checks
        // The digest of separate ranges is computed when the file is complete.
        let digests = try await digests(of: partial, for: resumption.record.ranges == nil ? checks : [], upTo: resumption.offset)
        let stream = try await stream(resumption)
        switch resumption.decision(on: stream.statusCode, stream.headers, from: stream.url) {
        case .rest(let part):
            if let divided = divided(resumption.record, at: resumption.offset, stream) {
                guard try await receiveRanges(stream, divided, checks: checks, into: partial) else {
                    return try await loadWhole(into: partial)
                }
                return try await finish(
                    partial, stream, name: resumption.record.name, resumedFrom: resumption.receivedBytes)
            }
            let body = Body(
                start: resumption.offset, end: part.range.upperBound,
                checks: checks + announcedChecks(stream, at: resumption.offset))
            try await receive(stream, body, digests, into: partial, total: part.total)
            return try await finish(partial, stream, name: resumption.record.name, resumedFrom: resumption.offset)
        case .whole: return try await receiveWhole(stream, into: partial, isDivisible: true)
        case .complete:
            stream.stop()
            progress?.beginBody(at: resumption.offset, of: resumption.offset)
            try await check(checks, digests, partial, length: resumption.offset, stream)
            return try await finish(partial, stream, name: resumption.record.name, resumedFrom: resumption.offset)
        case .startOver:
            stream.stop()
            return try await loadWhole(into: partial)
        case .refused(let reason):
            stream.stop()
            throw await failed(FileFailure(.rangeMismatch, reason, url: partial.place.url, spoilsFile: true), stream)
        }
    }

    /// Requests the complete content.
    ///
    /// - Parameter isDivisible: Whether several ranges may be requested at the same time. Default: `false`, which needs no range.
    private func loadWhole(
        into partial: PartialFile, isDivisible: Bool = false
    ) async throws(DataTransferError) -> DownloadedFile {
        let stream = try await stream(nil)
        guard stream.statusCode != 206 || request.headerParameters.contains("Range") else {
            stream.stop()
            throw await failed(
                FileFailure(
                    .rangeMismatch, "the response is partial (206), but no range was requested", url: partial.place.url,
                    spoilsFile: true),
                stream)
        }
        return try await receiveWhole(stream, into: partial, isDivisible: isDivisible)
    }

    private func stream(_ resumption: Resumption?) async throws(DataTransferError) -> DataTransferStream {
        var request = request
        request.progress = progress?.beginAttempt()
        request.context.transferStep = .download(attempts: attempts.withLock(\.count))
        // With a content coding that the engine undoes, no range could be requested, and the length would not be known.
        if !request.headerParameters.contains("Accept-Encoding") {
            request.headerParameters.set("identity", for: "Accept-Encoding")
        }
        if let resumption {
            request.headerParameters = request.headerParameters.replacing(with: resumption.headers)
            request.acceptedStatuses = request.acceptedStatuses + [206, 416]
        }
        let stream = try await service.streamResult(for: request).get()
        if let attempt = stream.response.countedAttempt { attempts.withLock { $0.count = attempt.number } }
        try await checkName(stream, resumption)
        return stream
    }

    /// Stops a download to a folder if its name is taken and must not be, before its body is received.
    private func checkName(_ stream: DataTransferStream, _ resumption: Resumption?) async throws(DataTransferError) {
        guard destination.isFolder, options.existingFile == .fail else { return }
        let url = destination.url.appendingPathComponent(name(of: stream, resumption))
        var status = stat()
        guard stat(url.path, &status) == 0 else { return }
        stream.stop()
        throw await failed(FileFailure(.destinationExists, "already exists", url: url), stream)
    }

    /// The final name in a folder: the one of the first response, if this one continues the download.
    private func name(of stream: DataTransferStream, _ resumption: Resumption?) -> String {
        let known = stream.statusCode == 200 ? nil : resumption?.record.name
        return known ?? SafeFileName.of(stream.headers, url: stream.url)
    }

    private func receiveWhole(
        _ stream: DataTransferStream, into partial: PartialFile, isDivisible: Bool
    ) async throws(DataTransferError) -> DownloadedFile {
        let length = request.method == .head ? nil : stream.headers.announcedLength
        var record = record(of: stream, length: length)
        let divided = isDivisible ? divided(record, at: 0, stream) : nil
        if let divided { record = divided.record }
        opened.withLock { $0.isKept = false }
        try await reporting(stream) { () throws(FileFailure) in
            try await BlockingWork.run(on: partial.place.url) { [record] () throws(FileFailure) in try partial.begin(record) }
        }
        opened.withLock { [record] in $0.isKept = record != nil }
        var checks = announcedChecks(stream, at: 0)
        if let bytes = options.digest?.bytes {
            checks.append(DigestCheck(start: 0, expected: bytes, source: "the expected digest"))
        }
        if let divided {
            guard try await receiveRanges(stream, divided, checks: checks, into: partial) else {
                return try await loadWhole(into: partial)
            }
            return try await finish(partial, stream, name: nil, resumedFrom: 0)
        }
        try await receive(
            stream, Body(end: length, checks: checks), checks.isEmpty ? [] : [RunningDigest(from: 0)], into: partial,
            total: length)
        return try await finish(partial, stream, name: nil, resumedFrom: 0)
    }

    private func record(of stream: DataTransferStream, length: Int64?) -> DownloadRecord? {
        guard stream.statusCode == 200, !stream.headers.isEncoded,
            let identity = DownloadRecord.identity(of: request, options), let validator = ResumeValidator(stream.headers)
        else { return nil }
        let digest = announcedChecks(stream, at: 0).first?.expected.hexadecimal
        return DownloadRecord(
            endpoint: identity, location: DownloadRecord.location(of: stream.url), validator: validator, total: length,
            digest: digest, name: SafeFileName.of(stream.headers, url: stream.url))
    }

    // MARK: Finishing

    private func finish(
        _ partial: PartialFile, _ stream: DataTransferStream, name: String?, resumedFrom: Int64
    ) async throws(DataTransferError) -> DownloadedFile {
        let name =
            destination.isFolder ? name ?? SafeFileName.of(stream.headers, url: stream.url) : destination.url.lastPathComponent
        let policy = options.existingFile ?? (destination.isFolder ? .keepBoth : .replace)
        let (url, length) = try await reporting(stream) { () throws(FileFailure) in
            try await BlockingWork.run(on: partial.place.url) { () throws(FileFailure) in
                let length = Int64(try partial.file.status().st_size)
                let url = try partial.finish(as: name, policy, permissions: options.permissions, flushes: options.flushesToDisk)
                return (url, length)
            }
        }
        progress?.complete(length: length)
        return DownloadedFile(
            url: url, byteCount: length, statusCode: stream.statusCode, headers: stream.headers, timings: stream.timings,
            resumedFrom: resumedFrom)
    }
}

// Conversion of file failures to errors of the service, each of which is logged once.
extension FileDownload {
    func reporting<Value>(
        _ stream: DataTransferStream? = nil, _ work: () async throws(FileFailure) -> Value
    ) async throws(DataTransferError) -> Value {
        try await reporting(stream, await Result.from(work))
    }

    func reporting<Value>(
        _ stream: DataTransferStream?, _ result: Result<Value, FileFailure>
    ) async throws(DataTransferError) -> Value {
        do throws(FileFailure) {
            return try result.get()
        } catch {
            throw await failed(error, stream)
        }
    }

    /// Adds to a failure the request and what is kept of the file, logs it, and returns it as an error of the service.
    func failed(_ failure: FileFailure, _ stream: DataTransferStream?) async -> DataTransferError {
        var failure = failure
        if let (partial, count) = await kept(after: failure) { failure.add(kept: partial.place.file, byteCount: count) }
        // Until the head of the response has been received, the name of a file in a folder is not known.
        if destination.isFolder, failure.url == destination.url, let stream {
            failure.url.appendPathComponent(name(of: stream, nil))
        }
        failure.request = stream?.request(request.method) ?? RequestGenerationError.text(of: request)
        return stream?.report(.file(failure)) ?? service.report(.file(failure))
    }
}

extension DownloadRecord {
    fileprivate var checks: [DigestCheck] {
        guard let digest, let expected = ContentDigest.sha256(digest).bytes else { return [] }
        return [DigestCheck(start: 0, expected: expected, source: "the digest in the first response")]
    }
}
