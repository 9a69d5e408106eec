import AsyncHTTPClient
import Endpoints
import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import NetworkCore

/// One call, from the request to the response, over all redirects.
// Unchecked, because the compiler does not know that one task uses its variables.
final class Transfer: @unchecked Sendable {
    private var call: SessionCall
    private let control: CallControl
    private let parts: ClientParts
    private let registry: CallRegistry
    private var queued = Duration.zero
    private var attempt = 1
    private var exchange: Exchange?

    init(_ call: SessionCall, _ control: CallControl, _ parts: ClientParts, _ registry: CallRegistry) {
        self.call = call
        self.control = control
        self.parts = parts
        self.registry = registry
    }

    private var limits: SessionConfiguration { parts.rules.configuration }

    /// Performs the transfer. Its end is reported before this returns, unless the body of the response is still arriving.
    func result() async -> Result<NetworkResponse, TransportError> {
        do throws(TransportError) {
            return .success(try await response())
        } catch {
            let failure = timed(control.failure ?? error)
            exchange?.stop(failure)
            await end()
            return .failure(failure)
        }
    }

    private func response() async throws(TransportError) -> NetworkResponse {
        while true {
            try Refusals.admit(call.request)
            let (exchange, head) = try await exchangeHead()
            let headers = HeaderFields(head.headers.map { HeaderFields.Field(name: $0.name, value: $0.value) })
            let status = Int(head.status.code)
            try checkSize(of: head)
            let isVerified = parts.isVerified && call.request.url.scheme?.lowercased() == "https"
            if try call.receive(status: status, headers: headers, isVerified: isVerified) {
                exchange.discardBody()
                continue
            }
            control.endHeadLimit()
            return try await response(status, headers, head, exchange)
        }
    }

    private func response(
        _ status: Int, _ headers: HeaderFields, _ head: HTTPResponseHead, _ exchange: Exchange
    ) async throws(TransportError) -> NetworkResponse {
        let isHTTP2 = head.version.major == 2
        let received = NetworkBody(
            next: { () async throws(TransportError) in try await exchange.pipe.next() },
            stop: { [call] in
                exchange.stop(TransportError(.cancelled, "the body was released", phase: .receive, request: call.request))
            })
        let body = call.decoded(received, status: status, headers: headers)
        var response = NetworkResponse(
            statusCode: status, headers: headers, url: call.request.url, timings: timings(exchange, isHTTP2: isHTTP2))
        if call.request.isStreamed {
            response.body = stream(body, exchange, isHTTP2: isHTTP2)
        } else {
            response.body = .data(try await collected(body, status: status, headers: headers))
            response.timings = timings(exchange, isHTTP2: isHTTP2)
            await end()
        }
        return response
    }

    // MARK: One exchange

    /// Sends the request and waits for the head of its response.
    ///
    /// It is sent again if the server cannot have processed it, or if it is idempotent and its connection ended: the connection may have been an idle one that the
    /// server was about to close. Not more than twice, and only with a body that can be read again.
    private func exchangeHead() async throws(TransportError) -> (Exchange, HTTPResponseHead) {
        var needsHTTP1 = false
        while true {
            do throws(TransportError) {
                return try await exchangeHeadOnce(needsHTTP1: needsHTTP1)
            } catch {
                let request = call.request
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

    private func exchangeHeadOnce(needsHTTP1: Bool) async throws(TransportError) -> (Exchange, HTTPResponseHead) {
        let request = call.request
        let length = if let body = request.body { try await body.measuredLength(for: request) } else { 0 as Int64? }
        let route = parts.route(of: call, needsHTTP1: needsHTTP1)
        let origin = route.origin
        let entered = NIODeadline.now()
        try await parts.admission.enter(origin, mayBeHTTP2: route.mayBeHTTP2, control)
        queued += Duration(.now() - entered)
        let exchange = Exchange(call, control, on: parts.group.any(), announcedBytes: length)
        self.exchange = exchange
        let message: HTTPClient.Request
        do {
            message = try HTTPClient.Request(
                url: request.url, method: HTTPMethod(rawValue: request.method.rawValue), headers: HTTPHeaders(sentFields),
                body: exchange.requestBody(request.body))
        } catch {
            parts.admission.leave(origin)
            throw ExchangeErrors.transportError(error, .init(phase: .queued, hasHead: false), request)
        }
        exchange.start(route.box, message) { [admission = parts.admission] in admission.leave(origin) }
        let head = try await exchange.pipe.head()
        parts.admission.learn(origin, isHTTP2: head.version.major == 2)
        return (exchange, head)
    }

    private var sentFields: [(String, String)] {
        var fields = call.fields.fields.map { ($0.name, $0.value) }
        if let codings = call.acceptEncoding { fields.append(("Accept-Encoding", codings)) }
        return fields
    }

    // MARK: Limits of sizes

    private func checkSize(of head: HTTPResponseHead) throws(TransportError) {
        let size = head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
        guard size > limits.maximumHeaderBytes else { return }
        throw TransportError(
            .headersTooLarge, "the response head has more than \(limits.maximumHeaderBytes) bytes (maximumHeaderBytes)",
            phase: .receive, request: call.request)
    }

    private func collected(_ body: NetworkBody, status: Int, headers: HeaderFields) async throws(TransportError) -> Data {
        let maximum = limits.maximumBodyBytes
        let hasContent = call.request.method != .head && status != 204 && status != 304
        if hasContent, let length = headers["Content-Length"].flatMap({ Int64($0) }), length > maximum {
            throw TransportError(
                .bodyTooLarge, "the announced body length of \(length) bytes is more than \(maximum) (maximumBodyBytes)",
                phase: .receive, request: call.request)
        }
        var data = Data()
        var chunks = body.makeAsyncIterator()
        while let chunk = try await chunks.next() {
            guard chunk.count <= maximum - data.count else {
                throw TransportError(
                    .bodyTooLarge, "the body is larger than \(maximum) bytes (maximumBodyBytes)", phase: .receive,
                    request: call.request)
            }
            data.append(chunk)
        }
        return data
    }

    // MARK: The end

    private func stream(_ body: NetworkBody, _ exchange: Exchange, isHTTP2: Bool) -> NetworkBody {
        let last = NIOLockedValueBox<StreamEnd?>(nil)
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
                last.withLockedValue { $0 = StreamEnd(timings: timings(exchange, isHTTP2: isHTTP2)) }
                await end()
                return nil
            }, end: { last.withLockedValue(\.self) },
            stop: { [self] in
                exchange.stop(TransportError(.cancelled, "the body was released", phase: .receive, request: call.request))
                Task { await end() }
            })
    }

    private func end() async {
        await call.reportEnd { [exchange] in exchange?.measure(&$0) }
        registry.remove(control)
    }

    private func timings(_ exchange: Exchange, isHTTP2: Bool) -> TransferTimings {
        let times = exchange.times
        func span(_ start: NIODeadline?, _ end: NIODeadline?) -> Duration? {
            guard let start, let end else { return nil }
            return Duration(max(end, start) - start)
        }
        return TransferTimings(
            queued: queued,
            send: call.request.body == nil ? nil : span(times.ready, min(times.sent ?? .now(), times.head ?? .now())),
            firstByte: span(times.ready, times.head), total: Duration((times.end ?? .now()) - control.begin),
            redirects: call.redirectCount, bytesSent: times.bytesSent, bytesReceived: times.bytesReceived,
            protocolName: isHTTP2 ? "h2" : "http/1.1", attempt: attempt)
    }

    private func timed(_ error: TransportError) -> TransportError {
        var error = error
        guard !error.isCancelled else { return error }
        error.timings = TransferTimings(
            queued: queued, total: Duration(.now() - control.begin), redirects: call.redirectCount, attempt: attempt)
        return error
    }
}
