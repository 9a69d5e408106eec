import Foundation
import NetworkCore
import NetworkWebSocket
import TransferTestSupport

/// One side of a socket in the storm: sends, receives, pings and ends as planned, and checks every result.
struct StormActor: Sendable {
    struct Interruption: Error {}

    let journal: StormJournal
    let socket: Int
    let side: StormSide
    let plan: StormPlan
    var mine: StormSidePlan { plan[side] }

    init(_ journal: StormJournal, _ socket: Int, _ side: StormSide) {
        (self.journal, self.socket, self.side) = (journal, socket, side)
        plan = journal.plan(socket)
    }

    func run(_ webSocket: WebSocket) async {
        await withTaskGroup(of: Bool.self) { group in
            for sender in 0..<mine.senders {
                group.addTask {
                    await write(webSocket, sender)
                    return true
                }
            }
            group.addTask {
                await read(webSocket)
                return false
            }
            group.addTask {
                await ping(webSocket)
                return false
            }
            switch mine.ending {
            case .finish:
                var writers = mine.senders
                while writers > 0, let isWriter = await group.next() { writers -= isWriter ? 1 : 0 }
                await close(webSocket, .normal)
            case .close(let code, let pause):
                await Self.yield(pause)
                await close(webSocket, code)
            case .cancel(let pause):
                await Self.yield(pause)
                journal.log(socket, side) { if $0.end == nil { $0.hasEndedFirst = true } }
                webSocket.cancel()
            case .cancelTasks(let pause):
                await Self.yield(pause)
                journal.log(socket, side) { if $0.end == nil { $0.hasEndedFirst = true } }
                group.cancelAll()
            }
        }
    }

    static func yield(_ count: Int) async {
        for _ in 0..<count { await Task.yield() }
    }

    private func close(_ webSocket: WebSocket, _ code: WebSocketCloseCode) async {
        journal.log(socket, side) { if $0.end == nil { $0.hasEndedFirst = true } }
        await webSocket.close(code)
        journal.log(socket, side) { $0.mayNotSend = true }
        await send(StormMessage(socket: socket, side: side, sender: 9, index: 0), webSocket, asChunks: false)
    }

    // MARK: Sending

    private func write(_ webSocket: WebSocket, _ sender: Int) async {
        var random = SeededGenerator(seed: mine.seed &+ UInt64(sender))
        for index in 0..<mine.messages {
            if random.chance(10) { await Self.yield(random.below(200)) }
            let message = StormMessage(socket: socket, side: side, sender: sender, index: index)
            guard await send(message, webSocket, asChunks: random.chance(20)) else { return }
        }
        // A message whose content cannot be completed ends the connection.
        guard mine.ending != .finish, random.chance(5) else { return }
        let (chunks, feed) = AsyncThrowingStream.makeStream(of: Data.self)
        feed.yield(Data("incomplete".utf8))
        feed.finish(throwing: Interruption())
        do {
            try await webSocket.send(chunks, as: .text)
            journal.problem(socket, "a message was sent although its chunks have failed")
        } catch {
            check(error, "send of chunks that fail")
        }
    }

    /// - Returns: Whether the message was sent.
    @discardableResult
    private func send(_ message: StormMessage, _ webSocket: WebSocket, asChunks: Bool) async -> Bool {
        let mayNotSend = journal.log(socket, side) { log in
            log.begun[message.sender, default: 0] += 1
            return log.mayNotSend
        }
        do {
            if asChunks {
                let (chunks, feed) = AsyncStream.makeStream(of: Data.self)
                for chunk in message.chunks { feed.yield(chunk) }
                feed.finish()
                try await webSocket.send(chunks, as: message.kind)
            } else {
                try await webSocket.send(message.message)
            }
            journal.log(socket, side) { $0.sent[message.sender, default: 0] += 1 }
            if mayNotSend { journal.problem(socket, "the \(side) has sent a message after the end") }
            return true
        } catch {
            journal.log(socket, side) { $0.mayNotSend = true }
            check(error, "send")
            return false
        }
    }

    private func ping(_ webSocket: WebSocket) async {
        var random = SeededGenerator(seed: mine.seed &+ 77)
        for _ in 0..<mine.pings {
            await Self.yield(random.below(500))
            do {
                // The peer may not read at all.
                _ = try await webSocket.ping(within: .milliseconds(1 + random.below(200)))
            } catch {
                if check(error, "ping", also: [.pingTimeout]) != .pingTimeout { return }
            }
        }
    }

    // MARK: Receiving

    private func read(_ webSocket: WebSocket) async {
        var random = SeededGenerator(seed: mine.seed &+ 99)
        var count = 0
        var streams = webSocket.streams.makeAsyncIterator()
        do {
            while count < mine.readLimit ?? .max {
                if random.chance(10) { await Self.yield(random.below(200)) }
                if random.chance(70) {
                    guard let message = try await webSocket.receive() else { break }
                    receive(message.data, message.kind, isComplete: true)
                } else {
                    guard let stream = try await streams.next() else { break }
                    let takes = random.chance(50) ? Int.max : 1 + random.below(70_000)
                    var content = Data()
                    var isComplete = true
                    for try await chunk in stream {
                        content.append(chunk)
                        // At least the label is read.
                        if content.count >= takes, content.contains(UInt8(ascii: "|")) {
                            isComplete = false
                            break
                        }
                    }
                    receive(content, stream.kind, isComplete: isComplete)
                }
                count += 1
            }
            guard count < mine.readLimit ?? .max else { return }
            await end(webSocket, WebSocketError.Code(rawValue: ""))
            if try await webSocket.receive() != nil { journal.problem(socket, "a message was received after the end") }
        } catch {
            let code = check(error, "receive")
            await end(webSocket, code)
            let second = await Result { try await webSocket.receive() }
            if case .failure(let repeated as WebSocketError) = second, repeated.code == code { return }
            // An orderly end within a message.
            if case .success(nil) = second, code == .connectionLost { return }
            journal.problem(socket, "the \(side) has received \(code.rawValue), and then \(second)")
        }
    }

    /// Records the end that the reader has found, after which nothing may be sent.
    private func end(_ webSocket: WebSocket, _ code: WebSocketError.Code) async {
        journal.count("\(side) ends with \(code.rawValue.isEmpty ? "nil" : code.rawValue)")
        journal.log(socket, side) { log in
            log.end = code
            log.closeStatus = webSocket.closeStatus?.code
            log.mayNotSend = true
        }
        await send(StormMessage(socket: socket, side: side, sender: 8, index: 0), webSocket, asChunks: false)
    }

    private func receive(_ content: Data, _ kind: WebSocketMessage.Kind, isComplete: Bool) {
        guard let message = StormMessage(labelOf: content) else {
            return journal.problem(socket, "the \(side) has received a message of \(content.count) bytes without a label")
        }
        let expected = journal.log(socket, side) { log in
            defer { log.received[message.sender, default: 0] += 1 }
            return log.received[message.sender, default: 0]
        }
        guard message.socket == socket, message.side == side.other, message.index == expected else {
            return journal.problem(socket, "the \(side) has received \(message) in place of message \(expected) of its sender")
        }
        guard kind == message.kind, isComplete ? content == message.content : message.content.starts(with: content) else {
            return journal.problem(socket, "\(message) was changed on its way: it has \(content.count) bytes")
        }
    }

    // MARK: Errors

    /// Checks that there is a cause for an error, and returns its code.
    @discardableResult
    private func check(_ error: any Error, _ call: String, also: Set<WebSocketError.Code> = []) -> WebSocketError.Code {
        let code = (error as? WebSocketError)?.code ?? WebSocketError.Code(rawValue: "\(type(of: error))")
        journal.count("\(call): \(code.rawValue)")
        let isPermitted =
            switch code {
            // Either side ends each connection.
            case .closed: true
            // A task of the server is cancelled as soon as the connection has ended.
            case .cancelled: side == .server || !mine.isOrderly
            // Either side may close within a message, also as a response to the other one's close frame.
            case .connectionLost: true
            // Of chunks that fail, for all calls of that side.
            case .coding: mine.ending != .finish
            case .invalidLength, .maskedFrame, .unknownOpcode, .invalidUTF8, .invalidFragmentation:
                side == .client && !plan.isFaultless
            // Decompression of a text that the fault has replaced.
            case .invalidCompression: side == .client && !plan.isFaultless && plan.compression != nil
            default: also.contains(code)
            }
        if !isPermitted { journal.problem(socket, "\(call) at the \(side) has failed with \(code.rawValue): \(error)") }
        return code
    }
}
