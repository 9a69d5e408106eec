import Dispatch
import Foundation

/// The listening socket of a server and its accepted connections, all served on one queue.
///
/// `@unchecked Sendable`: the mutable members are accessed on `queue` only; `log` has its own lock.
final class LoopbackEngine: @unchecked Sendable {
    let port: UInt16
    let log: LoopbackLog
    private let queue = DispatchQueue(label: "network-testing.loopback-server")
    /// A group that is entered for each open descriptor.
    private let descriptors = DispatchGroup()
    private let key = DispatchSpecificKey<Bool>()
    private let configuration: LoopbackServerConfiguration
    private var listener: LoopbackChannel?
    private var shared: LoopbackConnection.Shared?
    private var connections: [Int: LoopbackConnection] = [:]

    init(port: UInt16, configuration: LoopbackServerConfiguration, router: LoopbackRouter) throws(LoopbackServerError) {
        let socket = try LoopbackSocket.listen(port: port, backlog: configuration.backlog)
        self.port = socket.port
        self.configuration = configuration
        log = LoopbackLog(maximumRequests: configuration.maximumRecordedRequests)
        queue.setSpecific(key: key, value: true)
        queue.sync {
            shared = LoopbackConnection.Shared(
                queue: queue, descriptors: descriptors, configuration: configuration, router: router, log: log)
            listener = LoopbackChannel(descriptor: socket.descriptor, queue: queue, group: descriptors) { [weak self] in
                self?.acceptConnections()
            }
        }
    }

    /// Closes all sockets and waits until they are closed. On the server's own queue it returns without waiting.
    func stop() {
        guard DispatchQueue.getSpecific(key: key) == nil else { return shutDown() }
        queue.sync { shutDown() }
        descriptors.wait()
    }

    /// Closes all open connections. New ones are accepted.
    func closeConnections() {
        guard DispatchQueue.getSpecific(key: key) == nil else { return closeAll() }
        queue.sync { closeAll() }
    }

    private func shutDown() {
        listener?.close()
        listener = nil
        closeAll()
        // Breaks the reference cycle if a handler refers to the server.
        shared = nil
        log.stopped()
    }

    private func closeAll() {
        for connection in connections.values { connection.closeInOrder() }
    }

    private func acceptConnections() {
        // Limited, so that open connections are served in between.
        for _ in 0..<128 {
            guard let listener, let shared else { return }
            switch LoopbackSocket.accept(listener.descriptor) {
            case .none: return
            case .exhausted: return pauseListening()
            case .connection(let descriptor): open(descriptor, shared)
            }
        }
    }

    private func open(_ descriptor: Int32, _ shared: LoopbackConnection.Shared) {
        let id = log.connectionOpened()
        switch configuration.behavior {
        case .serve, .neverRespond:
            connections[id] = LoopbackConnection(id: id, descriptor: descriptor, shared: shared) { [weak self] in
                self?.connections.removeValue(forKey: id)
            }
        case .closeOnAccept, .resetOnAccept:
            if configuration.behavior == .resetOnAccept { LoopbackSocket.resetOnClose(descriptor) }
            LoopbackSocket.closeDescriptor(descriptor)
            log.connectionClosed()
        }
    }

    /// Stops accepting for 20 ms. Without free descriptors, the listener would report the same pending connection repeatedly.
    private func pauseListening() {
        listener?.setReading(false)
        queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in self?.listener?.setReading(true) }
    }
}

/// A descriptor and its dispatch sources. The descriptor is closed once all sources have been cancelled.
///
/// `@unchecked Sendable`: all members are accessed on the server's queue only, on which the handlers of the sources run.
final class LoopbackChannel: @unchecked Sendable {
    let descriptor: Int32
    private let queue: DispatchQueue
    private let group: DispatchGroup
    private let onReadable: @Sendable () -> Void
    /// `nil` while nothing is read. It is not suspended, but replaced: on Linux, a source that has reported the end of the connection reports
    /// nothing more after it was resumed.
    private var readSource: (any DispatchSourceRead)?
    private var writeSource: (any DispatchSourceWrite)?
    private var isAwaitingWrite = false
    private var sourceCount = 0
    private(set) var isClosed = false
    /// Whether readability is reported.
    var isReading: Bool { readSource != nil }

    /// Creates a channel and starts to report readability.
    ///
    /// - Parameters:
    ///   - group: A group that is entered until the descriptor is closed.
    ///   - onReadable: Runs on the queue whenever there are bytes to read or connections to accept.
    init(descriptor: Int32, queue: DispatchQueue, group: DispatchGroup, onReadable: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.queue = queue
        self.group = group
        self.onReadable = onReadable
        group.enter()
        setReading(true)
    }

    /// Suspends or resumes the reports of readability.
    func setReading(_ reads: Bool) {
        guard reads != (readSource != nil), !isClosed else { return }
        if let readSource {
            readSource.cancel()
            self.readSource = nil
            return
        }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in
            // A source that was cancelled may report once more.
            if let self, readSource != nil { onReadable() }
        }
        // Retains the channel until the source is cancelled; dispatch releases the handler then.
        source.setCancelHandler { self.sourceEnded() }
        sourceCount += 1
        readSource = source
        source.activate()
    }

    /// Calls a closure once, on the queue, when the socket is writable again.
    func whenWritable(_ onWritable: @escaping @Sendable () -> Void) {
        guard !isAwaitingWrite, !isClosed else { return }
        isAwaitingWrite = true
        let source = writeSource ?? makeWriteSource()
        source.setEventHandler { [weak self] in
            guard let self, isAwaitingWrite else { return }
            isAwaitingWrite = false
            writeSource?.suspend()
            onWritable()
        }
        source.resume()
    }

    /// Cancels the sources, after which the descriptor is closed. Idempotent.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        readSource?.cancel()
        readSource = nil
        if sourceCount == 0 { return closeDescriptor() }
        if let writeSource {
            if !isAwaitingWrite { writeSource.resume() }
            writeSource.cancel()
        }
    }

    private func makeWriteSource() -> any DispatchSourceWrite {
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
        source.setCancelHandler { self.sourceEnded() }
        sourceCount += 1
        writeSource = source
        return source
    }

    private func sourceEnded() {
        sourceCount -= 1
        guard sourceCount == 0, isClosed else { return }
        writeSource = nil
        closeDescriptor()
    }

    private func closeDescriptor() {
        LoopbackSocket.closeDescriptor(descriptor)
        group.leave()
    }
}
