import Endpoints
import Foundation
import NetworkCore
import NetworkSupport

/// The loop behind a stream of events: it connects, reads, waits and reconnects.
struct EventSource {
    private struct Connection {
        let body: DataTransferStream
        var chunks: DataTransferStream.Iterator
    }

    /// The open connection, which can be closed from another thread or task.
    final class OpenConnection: Sendable {
        private let body = Locked<DataTransferStream?>(nil)

        func open(_ body: DataTransferStream) {
            self.body.withLock { $0 = body }
        }

        func close() {
            let body = body.withLock { body in
                defer { body = nil }
                return body
            }
            body?.stop()
        }
    }

    private enum State {
        case closed
        case open(Connection)
        case ended
        case failed(DataTransferError)
    }

    let openConnection = OpenConnection()
    private let service: any DataTransferService
    private let endpoint: any Requestable
    private let clock: any Clock<Duration>
    private let maximumEventBytes: Int
    private var plan: ReconnectionPlan
    private var parser: ServerSentEventParser
    private var state = State.closed
    /// The method of the latest request.
    private var method = RequestMethod.get
    /// The last `retry:` value of the server, from any connection.
    private var serverDelay: Duration?

    init(
        _ service: any DataTransferService, _ endpoint: any Requestable, _ options: EventStreamOptions, lastEventID: String,
        maximumEventBytes: Int
    ) {
        self.service = service
        self.endpoint = endpoint
        self.maximumEventBytes = maximumEventBytes
        clock = options.clock
        plan = ReconnectionPlan(options)
        parser = ServerSentEventParser(lastEventID: lastEventID, maximumEventBytes: maximumEventBytes)
    }

    /// Returns the next event; `nil` at the end.
    mutating func next() async throws(DataTransferError) -> ServerSentEvent? {
        do throws(DataTransferError) {
            while true {
                if Task.isCancelled { throw Self.cancelled }
                switch state {
                case .ended: return nil
                case .failed(let error): throw error
                case .closed: try await open()
                case .open(var connection):
                    state = .closed
                    if let event = try await read(&connection) { return event }
                }
            }
        } catch {
            state = .failed(error)
            openConnection.close()
            throw error
        }
    }

    /// Reads from the connection. Returns an event, or `nil` if the state has to be examined again.
    private mutating func read(_ connection: inout Connection) async throws(DataTransferError) -> ServerSentEvent? {
        let event: ServerSentEvent?
        do throws(StreamParsingError) {
            event = try parser.next()
        } catch {
            throw connection.body.report(.parsing(ParsingFailure(error, of: connection.body, method: method)))
        }
        if let event {
            state = .open(connection)
            return event
        }
        var failure: DataTransferError?
        do throws(DataTransferError) {
            if let chunk = try await connection.chunks.nextElement() {
                parser.receive(chunk)
                state = .open(connection)
                return nil
            }
        } catch {
            failure = error
        }
        try await pause(after: failure, fate: .responded)
        return nil
    }

    private mutating func open() async throws(DataTransferError) {
        // Bytes of an incomplete event are discarded; the last event ID and the pause are kept.
        serverDelay = parser.reconnectionTime ?? serverDelay
        parser = ServerSentEventParser(lastEventID: parser.lastEventID, maximumEventBytes: maximumEventBytes)
        let request = endpoint.sourcedRequest.asEventSource(after: parser.lastEventID)
        method = request.method
        let body: DataTransferStream
        do throws(DataTransferError) {
            body = try await service.streamResult(for: request).get()
        } catch {
            try await pause(after: error, fate: error.fate)
            return
        }
        guard body.statusCode != 204 else {
            state = .ended
            return
        }
        let contentType = body.headers["Content-Type"]
        guard contentType.map(Self.isEventStream) == true else {
            let error = StreamParsingError(.unexpectedContentType(contentType), index: 0)
            body.stop()
            throw body.report(.parsing(ParsingFailure(error, of: body, method: method)))
        }
        openConnection.open(body)
        state = .open(Connection(body: body, chunks: body.makeAsyncIterator()))
    }

    /// Waits after the end of a connection until it is time to reconnect. Throws if the stream has failed.
    private mutating func pause(after failure: DataTransferError?, fate: SendRule.Fate) async throws(DataTransferError) {
        openConnection.close()
        switch plan.connectionEnded(
            failure, hadSign: parser.hasReceivedFields, serverDelay: parser.reconnectionTime ?? serverDelay,
            mayRepeat: endpoint.sourcedRequest.mayBeSentAgain(after: fate))
        {
        case .end: state = .ended
        case .fail(let error): throw error
        case .wait(let duration):
            do {
                try await clock.sleep(bounded: duration)
            } catch {
                throw Self.cancelled
            }
        }
    }

    private static func isEventStream(_ contentType: String) -> Bool {
        contentType.mediaType == "text/event-stream"
    }

    private static var cancelled: DataTransferError {
        .networkFailure(.cancelled(.taskCancelled()))
    }
}

extension RequestDescription {
    /// The maximum size of an event ID that is sent, in bytes. All header fields together have a limit, too.
    private static var maximumEventIDBytes: Int { 64 << 10 }

    /// Returns the request with the header fields of WHATWG HTML §9.2.2, unless it has such fields itself.
    ///
    /// Compression is disabled because it would delay events. An event ID is sent as UTF-8 (§9.2.3); one that is no field value, because it
    /// contains a control character other than a tab (RFC 9110 §5.5), and one that is too long are not sent, and neither is an older ID.
    fileprivate func asEventSource(after lastEventID: String) -> RequestDescription {
        var request = self
        for (name, value) in [("Accept", "text/event-stream"), ("Cache-Control", "no-store"), ("Accept-Encoding", "identity")]
        where !request.headerParameters.contains(name) {
            request.headerParameters.set(value, for: name)
        }
        if !lastEventID.isEmpty {
            let field = HeaderFields.Field(name: "Last-Event-ID", value: lastEventID)
            let isSent = field.isValid && lastEventID.utf8.count <= Self.maximumEventIDBytes
            request.headerParameters[field.name] = isSent ? lastEventID : nil
        }
        request.acceptedStatuses = request.acceptedStatuses + [204]
        return request
    }
}
