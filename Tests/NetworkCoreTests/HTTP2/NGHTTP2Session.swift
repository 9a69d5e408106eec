import Foundation
import NetworkSupport

@testable import NetworkEngine

/// What a client has made of the bytes of a server, in words that do not depend on the implementation.
struct ComparedOutcome: Equatable, CustomStringConvertible {
    /// The events of each stream, in their order. The parts of one piece of content are one event.
    var streams: [UInt32: [String]] = [:]
    /// Whether the client has ended the connection because of a violation.
    var hasFailed = false

    mutating func add(_ event: String, to stream: UInt32) {
        var events = streams[stream] ?? []
        // One implementation reports frames for streams that are closed.
        if let last = events.last, last.hasPrefix("reset") || last == "failed" || last == "unprocessed" { return }
        // The first GOAWAY may end the connection.
        if stream == 0, !events.isEmpty { return }
        if event.hasPrefix("reset"), events.last == "end", stream != 3 { return }
        if event.hasPrefix("data "), let last = events.last, last.hasPrefix("data ") {
            events[events.count - 1] = last + event.dropFirst(5)
        } else {
            events.append(event)
        }
        streams[stream] = events
    }

    /// Whether both have made the same of the bytes.
    func isSame(as other: ComparedOutcome) -> Bool {
        hasFailed == other.hasFailed && compared == other.compared
    }

    /// The events without the heads that were reported before their stream or the connection failed, and without the reset of a stream with which
    /// the connection has failed.
    private var compared: [UInt32: [String]] {
        streams.mapValues { events in
            guard hasFailed || events.last == "failed" else { return events }
            var before = events.last == "failed" ? events.dropLast() : events[...]
            while before.last?.hasPrefix("fields") == true { before.removeLast() }
            return hasFailed ? Array(before) : before + ["failed"]
        }.filter { !$0.value.isEmpty }
    }

    var description: String {
        streams.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.joined(separator: ", "))" }.joined(separator: "\n")
            + (hasFailed ? "\nfailed" : "")
    }
}

/// A client of libnghttp2, with three requests: GET, POST whose content is not sent, and HEAD.
final class NGHTTP2Session {
    /// `nghttp2_frame_hd`, with which each frame begins, and the next fields of some frames.
    private struct Frame {
        let stream: UInt32
        let kind: HTTP2FrameKind
        let isEnd: Bool
        let first: UInt32
        let second: UInt32

        init(_ pointer: UnsafeRawPointer) {
            stream = pointer.load(fromByteOffset: 8, as: UInt32.self)
            kind = HTTP2FrameKind(rawValue: pointer.load(fromByteOffset: 12, as: UInt8.self))
            isEnd = pointer.load(fromByteOffset: 13, as: UInt8.self) & 1 != 0
            first = pointer.load(fromByteOffset: 16, as: UInt32.self)
            second = pointer.load(fromByteOffset: 20, as: UInt32.self)
        }
    }

    private typealias Pointer = UnsafeMutableRawPointer
    private typealias Bytes = UnsafePointer<UInt8>
    private typealias OnFrame = @convention(c) (Pointer?, UnsafeRawPointer, Pointer?) -> CInt
    private typealias OnHeader =
        @convention(c) (
            Pointer?, UnsafeRawPointer, Bytes?, Int, Bytes?, Int, UInt8, Pointer?
        ) -> CInt
    private typealias OnData = @convention(c) (Pointer?, UInt8, Int32, Bytes?, Int, Pointer?) -> CInt
    private typealias OnClose = @convention(c) (Pointer?, Int32, UInt32, Pointer?) -> CInt
    private typealias Read =
        @convention(c) (
            Pointer?, Int32, Pointer?, Int, UnsafeMutablePointer<UInt32>?, Pointer?, Pointer?
        ) -> Int

    /// `nghttp2_data_provider`.
    private struct Provider {
        var source: UnsafeRawPointer?
        var read: Read
    }

    private struct Functions: Sendable {
        let newCallbacks: @convention(c) @Sendable (UnsafeMutablePointer<Pointer?>) -> CInt
        let deleteCallbacks: @convention(c) @Sendable (Pointer) -> Void
        let setOnFrame: @convention(c) @Sendable (Pointer, OnFrame) -> Void
        let setOnFrameSent: @convention(c) @Sendable (Pointer, OnFrame) -> Void
        let setOnFields: @convention(c) @Sendable (Pointer, OnFrame) -> Void
        let setOnHeader: @convention(c) @Sendable (Pointer, OnHeader) -> Void
        let setOnInvalidHeader: @convention(c) @Sendable (Pointer, OnHeader) -> Void
        let setOnData: @convention(c) @Sendable (Pointer, OnData) -> Void
        let setOnClose: @convention(c) @Sendable (Pointer, OnClose) -> Void
        let newClient: @convention(c) @Sendable (UnsafeMutablePointer<Pointer?>, Pointer, Pointer?) -> CInt
        let delete: @convention(c) @Sendable (Pointer) -> Void
        let submitSettings: @convention(c) @Sendable (Pointer, UInt8, UnsafeRawPointer?, Int) -> CInt
        let submitRequest: @convention(c) @Sendable (Pointer, Pointer?, Pointer?, Int, UnsafeRawPointer?, Pointer?) -> Int32
        let receive: @convention(c) @Sendable (Pointer, Bytes?, Int) -> Int
        let send: @convention(c) @Sendable (Pointer, UnsafeMutablePointer<Bytes?>) -> Int

        static let shared = Functions()

        private init?() {
            guard let library = dlopen("libnghttp2.so.14", RTLD_NOW | RTLD_LOCAL) else { return nil }
            func find<Function>(_ name: String) -> Function? {
                dlsym(library, "nghttp2_" + name).map { unsafeBitCast($0, to: Function.self) }
            }
            typealias SetFrame = @convention(c) @Sendable (Pointer, OnFrame) -> Void
            typealias SetHeader = @convention(c) @Sendable (Pointer, OnHeader) -> Void
            guard
                let newCallbacks: @convention(c) @Sendable (UnsafeMutablePointer<Pointer?>) -> CInt =
                    find("session_callbacks_new"),
                let deleteCallbacks: @convention(c) @Sendable (Pointer) -> Void = find("session_callbacks_del"),
                let setOnFrame: SetFrame = find("session_callbacks_set_on_frame_recv_callback"),
                let setOnFrameSent: SetFrame = find("session_callbacks_set_on_frame_send_callback"),
                let setOnFields: SetFrame = find("session_callbacks_set_on_begin_headers_callback"),
                let setOnHeader: SetHeader = find("session_callbacks_set_on_header_callback"),
                let setOnInvalidHeader: SetHeader = find("session_callbacks_set_on_invalid_header_callback"),
                let setOnData: @convention(c) @Sendable (Pointer, OnData) -> Void =
                    find("session_callbacks_set_on_data_chunk_recv_callback"),
                let setOnClose: @convention(c) @Sendable (Pointer, OnClose) -> Void =
                    find("session_callbacks_set_on_stream_close_callback"),
                let newClient: @convention(c) @Sendable (UnsafeMutablePointer<Pointer?>, Pointer, Pointer?) -> CInt =
                    find("session_client_new"),
                let delete: @convention(c) @Sendable (Pointer) -> Void = find("session_del"),
                let submitSettings: @convention(c) @Sendable (Pointer, UInt8, UnsafeRawPointer?, Int) -> CInt =
                    find("submit_settings"),
                let submitRequest:
                    @convention(c) @Sendable (Pointer, Pointer?, Pointer?, Int, UnsafeRawPointer?, Pointer?) -> Int32 =
                    find("submit_request"),
                let receive: @convention(c) @Sendable (Pointer, Bytes?, Int) -> Int = find("session_mem_recv"),
                let send: @convention(c) @Sendable (Pointer, UnsafeMutablePointer<Bytes?>) -> Int = find("session_mem_send")
            else { return nil }
            (self.newCallbacks, self.deleteCallbacks) = (newCallbacks, deleteCallbacks)
            (self.setOnFrame, self.setOnFrameSent, self.setOnHeader) = (setOnFrame, setOnFrameSent, setOnHeader)
            self.setOnFields = setOnFields
            (self.setOnInvalidHeader, self.setOnData, self.setOnClose) = (setOnInvalidHeader, setOnData, setOnClose)
            (self.newClient, self.delete, self.submitSettings) = (newClient, delete, submitSettings)
            (self.submitRequest, self.receive, self.send) = (submitRequest, receive, send)
        }
    }

    /// What the callbacks collect.
    private final class Collector {
        var outcome = ComparedOutcome()
        var fields: [String] = []

        static func of(_ pointer: Pointer?) -> Collector? {
            pointer.map { Unmanaged<Collector>.fromOpaque($0).takeUnretainedValue() }
        }
    }

    private let functions: Functions
    private let collector = Collector()
    private let session: UnsafeMutableRawPointer

    init?() {
        guard let functions = Functions.shared else { return nil }
        var callbacks: Pointer?
        guard functions.newCallbacks(&callbacks) == 0, let callbacks else { return nil }
        defer { functions.deleteCallbacks(callbacks) }
        Self.set(callbacks, functions)
        var session: Pointer?
        guard functions.newClient(&session, callbacks, Unmanaged.passUnretained(collector).toOpaque()) == 0, let session
        else { return nil }
        (self.functions, self.session) = (functions, session)
        submit()
    }

    deinit {
        functions.delete(session)
    }

    private static func set(_ callbacks: Pointer, _ functions: Functions) {
        functions.setOnFields(callbacks) { _, _, user in
            Collector.of(user)?.fields = []
            return 0
        }
        functions.setOnHeader(callbacks) { _, _, name, nameCount, value, valueCount, _, user in
            let field = [(name, nameCount), (value, valueCount)].map {
                String(decoding: UnsafeBufferPointer(start: $0, count: $1), as: UTF8.self)
            }
            Collector.of(user)?.fields.append(field.joined(separator: "="))
            return 0
        }
        // NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE: the stream is reset. By default, the field would be dropped.
        functions.setOnInvalidHeader(callbacks) { _, _, _, _, _, _, _, _ in -521 }
        functions.setOnData(callbacks) { _, _, stream, bytes, count, user in
            let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
            Collector.of(user)?.outcome.add("data \(text)", to: UInt32(stream))
            return 0
        }
        functions.setOnFrame(callbacks) { _, pointer, user in
            let frame = Frame(pointer)
            guard let collector = Collector.of(user) else { return 0 }
            switch frame.kind {
            case .headers:
                collector.outcome.add("fields \(collector.fields.joined(separator: "; "))", to: frame.stream)
                collector.fields = []
                if frame.isEnd { collector.outcome.add("end", to: frame.stream) }
            case .data where frame.isEnd: collector.outcome.add("end", to: frame.stream)
            case .resetStream: collector.outcome.add("reset \(frame.first)", to: frame.stream)
            case .goAway: collector.outcome.add("goaway \(frame.second)", to: 0)
            default: break
            }
            return 0
        }
        functions.setOnFrameSent(callbacks) { _, pointer, user in
            let frame = Frame(pointer)
            guard let collector = Collector.of(user) else { return 0 }
            switch frame.kind {
            case .resetStream: collector.outcome.add("failed", to: frame.stream)
            case .goAway where frame.second != 0: collector.outcome.hasFailed = true
            default: break
            }
            return 0
        }
        functions.setOnClose(callbacks) { _, stream, code, user in
            if code == HTTP2ErrorCode.refusedStream.rawValue, let collector = Collector.of(user),
                collector.outcome.streams[UInt32(stream)]?.last?.hasPrefix("reset") != true
            {
                collector.outcome.add("unprocessed", to: UInt32(stream))
            }
            return 0
        }
    }

    private func submit() {
        // ENABLE_PUSH 0 and INITIAL_WINDOW_SIZE as `nghttp2_settings_entry`.
        let settings: [UInt32] = [2, 0, 4, 256 << 10]
        _ = settings.withUnsafeBytes { functions.submitSettings(session, 0, $0.baseAddress, 2) }
        for method in ["GET", "POST", "HEAD"] {
            var provider = Provider(source: nil, read: { _, _, _, _, _, _, _ in -508 })  // NGHTTP2_ERR_DEFERRED
            let fields = [(":method", method), (":scheme", "https"), (":authority", "a"), (":path", "/")]
            var bytes = fields.flatMap { Array($0.utf8) + Array($1.utf8) }
            bytes.withUnsafeMutableBufferPointer { bytes in
                var offset = 0
                var list = fields.map { name, value in
                    defer { offset += name.utf8.count + value.utf8.count }
                    return NGHTTP2Library.Field(
                        name: bytes.baseAddress.map { $0 + offset },
                        value: bytes.baseAddress.map { $0 + offset + name.utf8.count }, nameCount: name.utf8.count,
                        valueCount: value.utf8.count)
                }
                list.withUnsafeMutableBytes { list in
                    withUnsafePointer(to: &provider) { provider in
                        _ = functions.submitRequest(
                            session, nil, list.baseAddress, fields.count, method == "POST" ? provider : nil, nil)
                    }
                }
            }
        }
        flush()
    }

    /// Lets the session write what it has to send, which is dropped.
    private func flush() {
        var bytes: UnsafePointer<UInt8>?
        while functions.send(session, &bytes) > 0 {}
    }

    /// Returns what the session makes of bytes. They are passed frame by frame, so that a stream is reset before the next one.
    func outcome(of bytes: [UInt8]) -> ComparedOutcome {
        bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count, !collector.outcome.hasFailed {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
                let length = rest.count < HTTP2FrameHeader.byteCount ? 0 : HTTP2FrameHeader(rest).length
                let count = min(HTTP2FrameHeader.byteCount + length, rest.count)
                if functions.receive(session, rest.assumingMemoryBound(to: UInt8.self).baseAddress, count) < 0 {
                    collector.outcome.hasFailed = true
                }
                flush()
                start += count
            }
        }
        return collector.outcome
    }
}
