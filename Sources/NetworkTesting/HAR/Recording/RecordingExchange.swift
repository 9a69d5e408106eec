import DataTransfer
import Foundation

/// One exchange under way, until it is an entry of the journal.
final class RecordingExchange: Sendable {
    /// The request to be sent: with a body that is noted as it is read.
    let request: NetworkRequest
    private let original: NetworkRequest
    private let sent: SentBody
    private let number: Int
    private let journal: RecordingJournal
    private let started = Date()
    private let began = ContinuousClock.now

    init(_ request: NetworkRequest, number: Int, journal: RecordingJournal) {
        original = request
        sent = SentBody(request.body, limit: journal.limits.bodyBytes)
        var request = request
        request.body = sent.content
        self.request = request
        self.number = number
        self.journal = journal
    }

    /// As ``end(_:)``, without blocking the thread of an async task: the files of the request's body are read for it.
    func endAside(_ result: Result<NetworkResponse, TransportError>) async {
        await aside { self.end(result) }
    }

    private func aside(_ work: @escaping @Sendable () -> Void) async {
        guard sent.looksAtFiles else { return work() }
        await BackgroundThreads.files.value(work)
    }

    func end(_ result: Result<NetworkResponse, TransportError>) {
        switch result {
        case .success(let response):
            let limit = journal.limits.bodyBytes
            record(response, body: response.body.prefix(limit), isTruncated: response.body.count > limit)
        case .failure(let error):
            record(nil, error: error)
        }
    }

    /// The same response; what is read of its body is recorded when it is over.
    func follow(_ response: StreamedResponse) -> StreamedResponse {
        let (body, received) = (response.body, BodyCapture(limit: journal.limits.bodyBytes))
        let state = Locked((isReading: false, isOver: false))
        let finish: @Sendable (_ isWhole: Bool, TransportError?) -> Void = { isWhole, error in
            let isFirst = state.withLock { state in
                defer { state.isOver = true }
                return !state.isOver
            }
            guard isFirst else { return }
            let head = NetworkResponse(
                statusCode: response.statusCode, headers: response.headers, url: response.url,
                timings: body.timings ?? response.timings)
            let (bytes, isCut) = received.content
            self.record(head, body: bytes, isTruncated: isCut || !isWhole, error: error)
        }
        var followed = response
        followed.body = ResponseStream { () async throws(TransportError) in
            state.withLock { $0.isReading = true }
            defer { state.withLock { $0.isReading = false } }
            do throws(TransportError) {
                var chunks = body.makeAsyncIterator()
                let chunk = try await chunks.next()
                if let chunk { received.append(chunk) } else { await self.aside { finish(true, nil) } }
                return chunk
            } catch {
                await self.aside { finish(true, error) }
                throw error
            }
        } end: {
            body.timings.map { StreamEnd(trailers: body.trailers, timings: $0) }
        } stop: {
            body.stop()
            // Who is reading gets an error of it.
            if !state.withLock({ $0.isReading }) { finish(false, nil) }
        }
        return followed
    }

    private func record(
        _ response: NetworkResponse?, body: Data = Data(), isTruncated: Bool = false, error: TransportError? = nil
    ) {
        if let error, error.isCancelled || error.code == .invalidRequest { return }
        let redactor = EntryRedactor(redaction: journal.redaction)
        let timings = response?.timings ?? error?.timings ?? TransferTimings()
        let version = EntryRedactor.version(timings.protocolName)
        var entry = HTTPArchive.Entry(
            started: started, request: redactor.request(original, sent: sent, timings: timings, version: version),
            response: HTTPArchive.Response(statusCode: 0, httpVersion: version),
            timings: HTTPArchive.Timings(timings, measured: began.duration(to: .now)))
        if let response {
            entry.response = redactor.response(response, body: body, isTruncated: isTruncated, version: version)
        }
        entry.failure = error.map { HTTPArchive.Failure($0.code, phase: $0.phase, message: $0.message) }
        journal.add(entry, number: number)
    }
}
