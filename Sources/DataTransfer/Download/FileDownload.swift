import Endpoints
import Foundation
import NetworkCore

/// One download to a file, from opening the partial file to giving the whole one its name.
struct FileDownload<Target: Requestable>: Sendable {
    let endpoint: Target
    let destination: DownloadDestination
    let options: DownloadOptions
    let progress: DownloadProgress?
    let service: any DataTransferService

    /// What a response's body is, and where it goes.
    private struct Body {
        var start: Int64 = 0
        /// Behind the last byte, as announced.
        var end: Int64?
        var checks: [DigestCheck] = []
    }

    func run() async throws(DataTransferError) -> DownloadedFile {
        defer { progress?.finish() }
        let (partial, resumption) = try await reporting { () throws(FileFailure) in
            try await BlockingWork.run { () throws(FileFailure) in try open() }
        }
        let isKept = Locked(resumption != nil)
        do throws(DataTransferError) {
            return try await load(into: partial, resumption, isKept: isKept)
        } catch {
            let spoils = error.fileFailure?.spoilsFile ?? false
            await settle(partial, keeps: isKept.withLock { $0 } && !spoils)
            throw error
        }
    }

    // MARK: Before the request

    private func open() throws(FileFailure) -> (PartialFile, Resumption?) {
        try options.validate(for: destination.url)
        try destination.validate(options)
        let identity = options.resumes ? DownloadRecord.identity(of: endpoint) : nil
        let partial = try open(identity ?? UUID().uuidString)
        return (partial, identity.flatMap(partial.resumption(of:)))
    }

    private func open(_ identity: String) throws(FileFailure) -> PartialFile {
        guard destination.isFolder else { return try .open(PartialPlace(beside: destination.url)) }
        // Others to the same folder get other names in the end, too.
        var number = 1
        while true {
            do throws(FileFailure) {
                return try .open(PartialPlace(in: destination.url, for: identity, number: number))
            } catch where error.code == .busy && number < 100 {
                number += 1
            }
        }
    }

    // MARK: Request and response

    private func load(
        into partial: PartialFile, _ resumption: Resumption?, isKept: Locked<Bool>
    ) async throws(DataTransferError) -> DownloadedFile {
        guard let resumption else { return try await loadWhole(into: partial, isKept) }
        var checks = options.digest?.bytes.map { [DigestCheck(start: 0, expected: $0, source: "the digest asked for")] } ?? []
        checks += resumption.record.checks
        let digests = try await digests(of: partial, for: checks, upTo: resumption.offset)
        let stream = try await stream(resumption)
        switch resumption.verdict(on: stream.statusCode, stream.headers, from: stream.url) {
        case .rest(let part):
            let body = Body(
                start: resumption.offset, end: part.range.upperBound,
                checks: checks + announcedChecks(stream, at: resumption.offset))
            try await receive(stream, body, digests, into: partial, total: part.total)
            return try await finish(partial, stream, name: resumption.record.name, resumedFrom: resumption.offset)
        case .whole: return try await receiveWhole(stream, into: partial, isKept)
        case .complete:
            stream.stop()
            progress?.beginBody(at: resumption.offset, of: resumption.offset)
            try await check(checks, digests, partial, length: resumption.offset, stream)
            return try await finish(partial, stream, name: resumption.record.name, resumedFrom: resumption.offset)
        case .startOver:
            stream.stop()
            return try await loadWhole(into: partial, isKept)
        case .refused(let reason):
            stream.stop()
            throw stream.report(.file(FileFailure(.rangeMismatch, reason, url: partial.place.url, spoilsFile: true)))
        }
    }

    private func loadWhole(into partial: PartialFile, _ isKept: Locked<Bool>) async throws(DataTransferError) -> DownloadedFile {
        let stream = try await stream(nil)
        guard stream.statusCode != 206 || endpoint.headerParameters.contains("Range") else {
            stream.stop()
            throw stream.report(
                .file(FileFailure(.rangeMismatch, "a part came, and none was asked for", url: partial.place.url, spoilsFile: true)))
        }
        return try await receiveWhole(stream, into: partial, isKept)
    }

    private func stream(_ resumption: Resumption?) async throws(DataTransferError) -> DataTransferStream {
        var request = AdjustedEndpoint(bytesOf: endpoint)
        request.progress = progress?.beginAttempt()
        // What is unpacked on the way has no parts that could be asked for, and no length that is known.
        if !request.headerParameters.contains("Accept-Encoding") { request.headerParameters.set("identity", for: "Accept-Encoding") }
        if let resumption {
            request.headerParameters = request.headerParameters.replacing(with: resumption.headers)
            request.acceptedStatuses = request.acceptedStatuses + [206, 416]
        }
        return try await service.stream(for: request)
    }

    private func receiveWhole(
        _ stream: DataTransferStream, into partial: PartialFile, _ isKept: Locked<Bool>
    ) async throws(DataTransferError) -> DownloadedFile {
        let length = endpoint.method == .head ? nil : stream.headers.announcedLength
        let record = record(of: stream, length: length)
        isKept.withLock { $0 = false }
        try await reporting(stream) { () throws(FileFailure) in
            try await BlockingWork.run { () throws(FileFailure) in try partial.begin(record) }
        }
        isKept.withLock { $0 = record != nil }
        var checks = announcedChecks(stream, at: 0)
        if let bytes = options.digest?.bytes {
            checks.append(DigestCheck(start: 0, expected: bytes, source: "the digest asked for"))
        }
        try await receive(
            stream, Body(end: length, checks: checks), checks.isEmpty ? [] : [RunningDigest(from: 0)], into: partial, total: length)
        return try await finish(partial, stream, name: nil, resumedFrom: 0)
    }

    private func record(of stream: DataTransferStream, length: Int64?) -> DownloadRecord? {
        guard options.resumes, stream.statusCode == 200, !stream.headers.isEncoded,
            let identity = DownloadRecord.identity(of: endpoint), let validator = ResumeValidator(stream.headers)
        else { return nil }
        let digest = announcedChecks(stream, at: 0).first?.expected.hexadecimal
        return DownloadRecord(
            endpoint: identity, location: DownloadRecord.location(of: stream.url), validator: validator, total: length,
            digest: digest, name: SafeFileName.of(stream.headers, url: stream.url))
    }

    // MARK: Body

    private func receive(
        _ stream: DataTransferStream, _ body: Body, _ digests: [RunningDigest], into partial: PartialFile, total: Int64?
    ) async throws(DataTransferError) {
        progress?.beginBody(at: body.start, of: total ?? body.end)
        var digests = digests
        // Those of the body alone are made on the way too.
        if body.start > 0, body.checks.contains(where: { $0.start == body.start }) { digests.append(RunningDigest(from: body.start)) }
        let writer = FileWriter(partial.file, from: body.start, digests: digests)
        var position = body.start
        do throws(DataTransferError) {
            var chunks = stream.makeAsyncIterator()
            while let chunk = try await chunks.next() {
                position += Int64(chunk.count)
                try await reporting(stream) { () throws(FileFailure) in
                    try checkLength(position, body, partial.place.url)
                    try await writer.write(chunk)
                }
                progress?.note(received: position)
            }
        } catch {
            stream.stop()
            // What has come is to be in the file before somebody else opens it.
            _ = try? await writer.finish()
            throw error
        }
        digests = try await reporting(stream) { () throws(FileFailure) in try await writer.finish() }
        let end = total ?? body.end ?? position
        guard position == end else {
            throw stream.report(
                .file(FileFailure(.lengthMismatch, "\(position) of \(end) bytes have come", url: partial.place.url)))
        }
        let checks = body.checks + DigestCheck.announced(in: stream.trailers, bodyAt: body.start)
        try await check(checks, digests, partial, length: position, stream)
    }

    private func checkLength(_ position: Int64, _ body: Body, _ url: URL) throws(FileFailure) {
        if let end = body.end, position > end {
            throw FileFailure(
                body.start > 0 ? .rangeMismatch : .lengthMismatch, "more bytes come than the \(end - body.start) announced", url: url,
                spoilsFile: true)
        }
        if let maximum = options.maximumBytes, position > maximum {
            throw FileFailure(.tooLarge, "it is larger than \(maximum) bytes (maximumBytes)", url: url, spoilsFile: true)
        }
    }

    // MARK: Digests

    private func announcedChecks(_ stream: DataTransferStream, at start: Int64) -> [DigestCheck] {
        // Digests are those of the bytes as they were sent, and an engine may have unpacked them.
        stream.headers.isEncoded ? [] : DigestCheck.announced(in: stream.headers, bodyAt: start)
    }

    /// The digest of what is there already, where one is needed: made before the server is asked for the rest, so that it need not wait.
    private func digests(
        of partial: PartialFile, for checks: [DigestCheck], upTo length: Int64
    ) async throws(DataTransferError) -> [RunningDigest] {
        guard !checks.isEmpty else { return [] }
        return [try await caughtUp(RunningDigest(from: 0), with: partial.file, to: length, nil)]
    }

    private func check(
        _ checks: [DigestCheck], _ digests: [RunningDigest], _ partial: PartialFile, length: Int64, _ stream: DataTransferStream
    ) async throws(DataTransferError) {
        for check in checks {
            let begun = digests.first { $0.start == check.start } ?? RunningDigest(from: check.start)
            let digest = try await caughtUp(begun, with: partial.file, to: length, stream)
            guard digest.bytes == check.expected else {
                throw stream.report(
                    .file(
                        FileFailure(
                            .digestMismatch, "its SHA-256 is not \(check.source)", url: partial.place.url, spoilsFile: true)))
            }
        }
    }

    private func caughtUp(
        _ digest: RunningDigest, with file: OutputFile, to length: Int64, _ stream: DataTransferStream?
    ) async throws(DataTransferError) -> RunningDigest {
        let isCancelled = Locked(false)
        let result = await withTaskCancellationHandler {
            await Self.result { () throws(FileFailure) in
                try await BlockingWork.run { () throws(FileFailure) in
                    var digest = digest
                    try digest.catchUp(with: file, to: length) { isCancelled.withLock { $0 } }
                    return digest
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
        if isCancelled.withLock({ $0 }) {
            throw .networkFailure(.cancelled(TransportError(.cancelled, "the task was cancelled while a digest was made")))
        }
        return try reporting(stream, result)
    }

    // MARK: The end

    private func finish(
        _ partial: PartialFile, _ stream: DataTransferStream, name: String?, resumedFrom: Int64
    ) async throws(DataTransferError) -> DownloadedFile {
        let name =
            destination.isFolder ? name ?? SafeFileName.of(stream.headers, url: stream.url) : destination.url.lastPathComponent
        let policy = options.existingFile ?? (destination.isFolder ? .keepBoth : .replace)
        let (url, length) = try await reporting(stream) { () throws(FileFailure) in
            try await BlockingWork.run { () throws(FileFailure) in
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

    /// After a failure: leaves what can be resumed, and nothing else.
    private func settle(_ partial: PartialFile, keeps: Bool) async {
        try? await BlockingWork.run {
            let length = (try? partial.file.status().st_size) ?? 0
            if !keeps || length == 0 { partial.remove() }
        }
    }

    // MARK: Errors

    private func reporting<Value>(
        _ stream: DataTransferStream? = nil, _ work: () async throws(FileFailure) -> Value
    ) async throws(DataTransferError) -> Value {
        try reporting(stream, await Self.result(work))
    }

    private func reporting<Value>(
        _ stream: DataTransferStream?, _ result: Result<Value, FileFailure>
    ) throws(DataTransferError) -> Value {
        do throws(FileFailure) {
            return try result.get()
        } catch {
            if let stream { throw stream.report(.file(error)) }
            throw (service as? DefaultDataTransferService)?.report(.file(error)) ?? .file(error)
        }
    }

    private static func result<Value>(_ work: () async throws(FileFailure) -> Value) async -> Result<Value, FileFailure> {
        do throws(FileFailure) {
            return .success(try await work())
        } catch {
            return .failure(error)
        }
    }
}

extension DownloadRecord {
    fileprivate var checks: [DigestCheck] {
        guard let digest, let expected = ContentDigest.sha256(digest).bytes else { return [] }
        return [DigestCheck(start: 0, expected: expected, source: "what the server announced at first")]
    }
}

extension DownloadOptions {
    fileprivate func validate(for url: URL) throws(FileFailure) {
        if let digest, digest.bytes == nil {
            throw FileFailure(.invalidOptions, "the digest asked for is neither 64 hexadecimal digits nor base64 of 32 bytes", url: url)
        }
        if let maximumBytes, maximumBytes < 0 {
            throw FileFailure(.invalidOptions, "maximumBytes is \(maximumBytes)", url: url)
        }
    }
}

extension DownloadDestination {
    fileprivate func validate(_ options: DownloadOptions) throws(FileFailure) {
        guard url.isFileURL, !url.path.utf8.contains(0), url.path.first == "/" else {
            throw FileFailure(.invalidOptions, "is no file URL of a file", url: url)
        }
        var status = stat()
        let isThere = stat(url.path, &status) == 0
        let isThereAsFolder = isThere && status.st_mode & S_IFMT == S_IFDIR
        if isFolder {
            guard !isThere || isThereAsFolder else { throw FileFailure(.folderMissing, "is no folder", url: url) }
            return
        }
        guard !isThereAsFolder, !url.hasDirectoryPath, !["", "/", ".", ".."].contains(url.lastPathComponent) else {
            throw FileFailure(.destinationIsFolder, "is a folder", url: url)
        }
        guard url.lastPathComponent.utf8.count <= SafeFileName.maximumBytes else {
            throw FileFailure(.invalidOptions, "has a name of more than \(SafeFileName.maximumBytes) bytes", url: url)
        }
        if isThere, options.existingFile == .fail { throw FileFailure(.destinationExists, "is there already", url: url) }
    }
}
