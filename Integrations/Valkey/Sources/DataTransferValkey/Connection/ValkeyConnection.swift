import CHiredis
import Foundation

/// One connection, which is used on one thread at a time. Its methods block until their deadline.
///
/// hiredis opens it, and writes and parses messages. Bytes are sent and received here, because the timeout of hiredis is one for each
/// system call: a server that sends one byte after another would never time out.
final class ValkeyConnection {
    /// The oldest version that is supported: it has HELLO, users, and scripts that may ask for the time.
    static let minimumVersion = 6

    private static let receiveFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT)
    private static let sendFlags = CInt(truncatingIfNeeded: MSG_DONTWAIT) | CInt(truncatingIfNeeded: MSG_NOSIGNAL)

    private let context: UnsafeMutablePointer<redisContext>
    private var reader: ReplyReader

    /// Connects and signs in.
    ///
    /// - Throws: ``ValkeyError``: unreachable, timeout, authentication, protocolViolation, unsupportedVersion or serverError.
    init(_ configuration: ValkeyConfiguration, deadline: ContinuousClock.Instant) throws(ValkeyError) {
        let rest = max(.milliseconds(1), ContinuousClock.now.duration(to: deadline))
        let seconds = rest.components.seconds
        let time = timeval(
            tv_sec: Int(seconds), tv_usec: .init(rest.components.attoseconds / 1_000_000_000_000))
        let opened =
            switch configuration.address.form {
            case .tcp(let host, let port): redisConnectWithTimeout(host, Int32(clamping: port), time)
            case .unix(let path): redisConnectUnixWithTimeout(path, time)
            }
        guard let context = opened else { throw ValkeyError(.unreachable, "there is no memory for a connection") }
        guard context.pointee.err == 0, context.pointee.fd >= 0 else {
            let error = Self.connectError(context.pointee.err, errno)
            redisFree(context)
            throw error
        }
        guard let reader = ReplyReader(maximumBytes: configuration.maximumReplyBytes) else {
            redisFree(context)
            throw ValkeyError(.unreachable, "there is no memory for a connection")
        }
        self.context = context
        self.reader = reader
        if case .tcp = configuration.address.form {
            var on: Int32 = 1
            setsockopt(context.pointee.fd, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        }
        try signIn(configuration, deadline: deadline)
    }

    deinit {
        redisFree(context)
    }

    private static func connectError(_ kind: Int32, _ number: Int32) -> ValkeyError {
        guard kind == REDIS_ERR_IO else { return ValkeyError(.unreachable, "the server's address cannot be used") }
        if number == ETIMEDOUT || number == EAGAIN || number == EINPROGRESS {
            return ValkeyError(.timeout, "the server did not accept a connection in time")
        }
        return ValkeyError(.unreachable, "cannot connect: \(String(cString: strerror(number)))")
    }

    private func signIn(_ configuration: ValkeyConfiguration, deadline: ContinuousClock.Instant) throws(ValkeyError) {
        var hello = ["HELLO", "2"]
        if let password = configuration.password { hello += ["AUTH", configuration.username ?? "default", password] }
        var commands = [hello.map { Data($0.utf8) }]
        if configuration.database != 0 { commands.append(["SELECT", String(configuration.database)].map { Data($0.utf8) }) }
        let replies = try send(commands, deadline: deadline)
        switch replies.first {
        case .error(let text)? where text.lowercased().contains("unknown command"):
            throw ValkeyError(.unsupportedVersion, "the server is older than version \(Self.minimumVersion).0")
        case .error(let text)?: throw ValkeyError(reply: text)
        case .array(let fields)?:
            let names = fields.indices.filter { $0 % 2 == 0 }
            guard let index = names.first(where: { fields[$0].text == "version" }), index + 1 < fields.count,
                let version = fields[index + 1].text, let major = version.split(separator: ".").first.flatMap({ Int($0) })
            else { throw ValkeyError(.protocolViolation, "the server does not state its version") }
            guard major >= Self.minimumVersion else {
                throw ValkeyError(.unsupportedVersion, "the server is older than version \(Self.minimumVersion).0")
            }
        default: throw ValkeyError(.protocolViolation, "the reply to HELLO is not a list")
        }
        if replies.count > 1, case .error(let text) = replies[1] { throw ValkeyError(reply: text) }
    }

    /// Whether the connection is open and has nothing to read, so that the next bytes belong to the next command.
    var isIdle: Bool {
        var byte: UInt8 = 0
        let flags = Self.receiveFlags | CInt(truncatingIfNeeded: MSG_PEEK)
        return !reader.hasRest && recv(context.pointee.fd, &byte, 1, flags) < 0 && (errno == EAGAIN || errno == EINTR)
    }

    /// Sends commands together and returns their replies, which may be errors. After a thrown error, the connection must be closed.
    func send(_ commands: [[Data]], deadline: ContinuousClock.Instant) throws(ValkeyError) -> [ValkeyReply] {
        guard !reader.hasRest else { throw ValkeyError(.protocolViolation, "the server sent a reply to no command") }
        for command in commands { try write(command, deadline: deadline) }
        var replies: [ValkeyReply] = []
        while replies.count < commands.count {
            if let reply = try reader.next() {
                replies.append(reply)
            } else {
                try receive(deadline: deadline)
            }
        }
        guard !reader.hasRest else { throw ValkeyError(.protocolViolation, "the server sent more replies than commands") }
        return replies
    }

    private func write(_ command: [Data], deadline: ContinuousClock.Instant) throws(ValkeyError) {
        var message: UnsafeMutablePointer<CChar>?
        // One block for all arguments, as a pointer into `Data` is valid only inside of a closure.
        let joined = [UInt8](command.joined())
        let lengths = command.map(\.count)
        let count = joined.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            var places: [UnsafePointer<CChar>?] = []
            var offset = 0
            for length in lengths {
                places.append(start.map { $0 + offset })
                offset += length
            }
            return redisFormatCommandArgv(&message, Int32(command.count), &places, lengths)
        }
        guard count > 0, let message else { throw ValkeyError(.serverError, "a command cannot be written") }
        defer { redisFreeCommand(message) }
        var sent = 0
        while sent < count {
            let result = Foundation.send(
                context.pointee.fd, message + sent, Int(count) - sent, Self.sendFlags)
            if result > 0 {
                sent += result
            } else if result < 0, errno == EAGAIN || errno == EINTR {
                try wait(for: Int16(POLLOUT), deadline: deadline)
            } else {
                throw Self.lost
            }
        }
    }

    private func receive(deadline: ContinuousClock.Instant) throws(ValkeyError) {
        try wait(for: Int16(POLLIN), deadline: deadline)
        var failure: ValkeyError?
        withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
            let count = recv(context.pointee.fd, buffer.baseAddress, buffer.count, Self.receiveFlags)
            if count > 0 {
                do throws(ValkeyError) {
                    try reader.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffer)[..<count]))
                } catch {
                    failure = error
                }
            } else if count == 0 || errno != EAGAIN && errno != EINTR {
                failure = Self.lost
            }
        }
        if let failure { throw failure }
    }

    private func wait(for events: Int16, deadline: ContinuousClock.Instant) throws(ValkeyError) {
        while true {
            let rest = ContinuousClock.now.duration(to: deadline)
            guard rest > .zero else { throw ValkeyError(.timeout, "the server did not reply in time") }
            let (seconds, attoseconds) = rest.components
            // Rounded up, so that the last wait does not spin.
            let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1
            var descriptor = pollfd(fd: context.pointee.fd, events: events, revents: 0)
            let result = poll(&descriptor, 1, Int32(clamping: milliseconds))
            if result > 0 { return }
            if result < 0, errno != EINTR { throw Self.lost }
        }
    }

    private static var lost: ValkeyError { ValkeyError(.unreachable, "the connection was lost") }
}
