import AsyncHTTPClient
import Endpoints
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NetworkCore
@_spi(SessionManagers) import NetworkTransport

/// The exchanges of one call: each of its requests is sent by a task.
// Unchecked, because the compiler does not know that one task at a time uses the variables: that of the current request, until it has delivered a
// response.
final class Transfer: Exchange, @unchecked Sendable {
    /// A response whose head was delivered, and whose body was not.
    private struct Head {
        var request: NetworkRequest
        var status: Int
        var headers: HeaderFields
        var isVerified: Bool
        var isHTTP2: Bool
        var exchange: ClientExchange
    }

    let driver: CallDriver
    private let control: CallControl
    private let parts: ClientParts
    private let registry: CallRegistry
    private var queued = Duration.zero
    private var attempt = 1
    private var exchange: ClientExchange?
    /// The redirect about which the driver decides.
    private var undecided: Head?
    /// Whether a task works on the call, which then removes it from the registry.
    private let isWorking = NIOLockedValueBox(false)

    init(_ driver: CallDriver, _ control: CallControl, _ parts: ClientParts, _ registry: CallRegistry) {
        self.driver = driver
        self.control = control
        self.parts = parts
        self.registry = registry
    }

    private var limits: SessionConfiguration { parts.rules.configuration }

    // MARK: For the driver

    func send(_ request: NetworkRequest, cookies: String?) {
        undecided?.exchange.discardBody()
        undecided = nil
        work { [self] () async throws(TransportError) in
            try Refusals.admit(request)
            let (exchange, head) = try await exchangeHead(request, cookies)
            let headers = HeaderFields(head.headers.map { HeaderFields.Field(name: $0.name, value: $0.value) })
            try checkSize(of: head, request)
            try driver.check(headers)
            let received = Head(
                request: request, status: Int(head.status.code), headers: headers,
                isVerified: parts.isVerified && request.url.scheme?.lowercased() == "https",
                isHTTP2: head.version.major == 2, exchange: exchange)
            let mayBeFollowed = driver.mayFollow(status: received.status, hasLocation: headers.contains("Location"))
            if mayBeFollowed { undecided = received } else { return try await response(received) }
            return ExchangeResponse(
                status: received.status, headers: headers, body: .empty, of: request,
                timings: timings(exchange, isHTTP2: received.isHTTP2), isVerified: received.isVerified, mayBeFollowed: true,
                isBodyPending: true)
        }
    }

    func receiveBody() {
        guard let head = undecided else { return }
        undecided = nil
        work { [self] () async throws(TransportError) in try await response(head) }
    }

    func withdraw() {
        control.fail(TransportError(.cancelled, "the task was cancelled", phase: control.phase, request: driver.request))
        if !isWorking.withLockedValue(\.self) { registry.remove(control) }
    }

    /// Delivers what a task receives.
    private func work(_ receive: @escaping @Sendable () async throws(TransportError) -> ExchangeResponse) {
        isWorking.withLockedValue { $0 = true }
        Task {
            let outcome: CallDriver.Outcome
            do throws(TransportError) {
                outcome = .success(try await receive())
            } catch {
                let failure = timed(control.failure ?? error)
                exchange?.stop(failure)
                outcome = .failure(failure)
            }
            isWorking.withLockedValue { $0 = false }
            // Unless the call goes on: with the body of a streamed response, or after a decision.
            let goesOn = (try? outcome.get()) != nil && (undecided != nil || driver.original.isStreamed) && control.failure == nil
            if !goesOn { registry.remove(control) }
            driver.end(outcome)
        }
    }

    private func response(_ head: Head) async throws(TransportError) -> ExchangeResponse {
        control.endHeadLimit()
        let exchange = head.exchange
        let received = NetworkBody(
            next: { () async throws(TransportError) in try await exchange.pipe.next() },
            stop: {
                exchange.stop(TransportError(.cancelled, "the body was released", phase: .receive, request: head.request))
            })
        let decoded = driver.decoded(received, status: head.status, headers: head.headers)
        let body: NetworkBody
        if head.request.isStreamed {
            body = stream(decoded, head)
        } else {
            body = .data(try await collected(decoded, of: head.request, status: head.status, headers: head.headers))
        }
        return ExchangeResponse(
            status: head.status, headers: head.headers, body: body, of: head.request,
            timings: timings(exchange, isHTTP2: head.isHTTP2), isVerified: head.isVerified, mayBeFollowed: false)
    }

    // MARK: One exchange

    /// Sends the request and waits for the head of its response.
    ///
    /// It is sent again if the server cannot have processed it, or if it is idempotent and its connection ended: the connection may have been an idle one that the
    /// server was about to close. Not more than twice, and only with a body that can be read again.
    private func exchangeHead(
        _ request: NetworkRequest, _ cookies: String?
    ) async throws(TransportError) -> (ClientExchange, HTTPResponseHead) {
        var needsHTTP1 = false
        while true {
            do throws(TransportError) {
                return try await exchangeHeadOnce(request, cookies, needsHTTP1: needsHTTP1)
            } catch {
                let refusal = ExchangeErrors.refusal(error, isSent: exchange?.times.ready != nil)
                let isSafe = refusal != nil && refusal != .dropped
                guard error.code == .connectionLost, attempt <= 2, control.failure == nil,
                    isSafe || request.isIdempotent && (attempt == 1 || refusal == .dropped), request.body?.isReplayable != false
                else { throw error }
                if refusal == .needsHTTP1 { needsHTTP1 = true }
                attempt += 1
            }
        }
    }

    private func exchangeHeadOnce(
        _ request: NetworkRequest, _ cookies: String?, needsHTTP1: Bool
    ) async throws(TransportError) -> (ClientExchange, HTTPResponseHead) {
        let length = if let body = request.body { try await body.measuredLength(for: request) } else { 0 as Int64? }
        let route = parts.route(of: request, needsHTTP1: needsHTTP1)
        let origin = route.origin
        let entered = NIODeadline.now()
        try await parts.admission.enter(origin, mayBeHTTP2: route.mayBeHTTP2, control)
        queued += Duration(.now() - entered)
        let exchange = ClientExchange(driver, request, control, on: parts.group.any(), announcedBytes: length)
        self.exchange = exchange
        let message: HTTPClient.Request
        do {
            message = try HTTPClient.Request(
                url: request.url, method: HTTPMethod(rawValue: request.method.rawValue),
                headers: HTTPHeaders(sentFields(of: request, cookies)), body: exchange.requestBody(request.body))
        } catch {
            parts.admission.leave(origin)
            throw ExchangeErrors.transportError(error, .init(phase: .queued, hasHead: false), request)
        }
        exchange.start(route.box, message) { [admission = parts.admission] in admission.leave(origin) }
        let head = try await exchange.pipe.head()
        parts.admission.learn(origin, isHTTP2: head.version.major == 2)
        return (exchange, head)
    }

    private func sentFields(of request: NetworkRequest, _ cookies: String?) -> [(String, String)] {
        var fields = driver.fields(of: request, cookies: cookies).fields.map { ($0.name, $0.value) }
        if let codings = driver.acceptEncoding { fields.append(("Accept-Encoding", codings)) }
        return fields
    }

    // MARK: Limits of sizes

    private func checkSize(of head: HTTPResponseHead, _ request: NetworkRequest) throws(TransportError) {
        let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard size > limits.maximumHeaderBytes else { return }
        throw TransportError(
            .headersTooLarge, "the response head has more than \(limits.maximumHeaderBytes) bytes (maximumHeaderBytes)",
            phase: .receive, request: request)
    }

    private func collected(
        _ body: NetworkBody, of request: NetworkRequest, status: Int, headers: HeaderFields
    ) async throws(TransportError) -> Data {
        let maximum = limits.maximumBodyBytes
        let hasContent = request.method != .head && status != 204 && status != 304
        if hasContent, let length = headers["Content-Length"].flatMap({ Int64($0) }), length > maximum {
            throw TransportError(
                .bodyTooLarge, "the announced body length of \(length) bytes is more than \(maximum) (maximumBodyBytes)",
                phase: .receive, request: request)
        }
        var data = Data()
        var chunks = body.makeAsyncIterator()
        while let chunk = try await chunks.next() {
            guard chunk.count <= maximum - data.count else {
                throw TransportError(
                    .bodyTooLarge, "the body is larger than \(maximum) bytes (maximumBodyBytes)", phase: .receive,
                    request: request)
            }
            data.append(chunk)
        }
        return data
    }

    // MARK: The end

    private func stream(_ body: NetworkBody, _ head: Head) -> NetworkBody {
        let last = NIOLockedValueBox<StreamEnd?>(nil)
        let exchange = head.exchange
        return NetworkBody(
            next: { [self] () async throws(TransportError) in
                do throws(TransportError) {
                    var chunks = body.makeAsyncIterator()
                    if let chunk = try await chunks.next() { return chunk }
                } catch {
                    let failure = timed(control.failure ?? error)
                    exchange.stop(failure)
                    await end()
                    throw failure
                }
                last.withLockedValue { $0 = StreamEnd(timings: timings(exchange, isHTTP2: head.isHTTP2)) }
                await end()
                return nil
            }, end: { last.withLockedValue(\.self) },
            stop: { [self] in
                exchange.stop(TransportError(.cancelled, "the body was released", phase: .receive, request: head.request))
                Task { await end() }
            })
    }

    private func end() async {
        await driver.finishProgress { [exchange] in exchange?.measure(&$0) }
        registry.remove(control)
    }

    private func timings(_ exchange: ClientExchange, isHTTP2: Bool) -> TransferTimings {
        let times = exchange.times
        func span(_ start: NIODeadline?, _ end: NIODeadline?) -> Duration? {
            guard let start, let end else { return nil }
            return Duration(max(end, start) - start)
        }
        return TransferTimings(
            queued: queued,
            send: driver.request.body == nil ? nil : span(times.ready, min(times.sent ?? .now(), times.head ?? .now())),
            firstByte: span(times.ready, times.head), total: Duration((times.end ?? .now()) - control.begin),
            redirects: driver.redirectCount, bytesSent: times.bytesSent, bytesReceived: times.bytesReceived,
            protocolName: isHTTP2 ? "h2" : "http/1.1", attempt: attempt)
    }

    private func timed(_ error: TransportError) -> TransportError {
        var error = error
        guard !error.isCancelled else { return error }
        error.timings = TransferTimings(
            queued: queued, total: Duration(.now() - control.begin), redirects: driver.redirectCount, attempt: attempt)
        return error
    }
}
