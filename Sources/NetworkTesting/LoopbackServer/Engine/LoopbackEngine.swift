import Dispatch
import Foundation

/// The listening socket and the connections accepted from it, all served on one queue.
///
/// `@unchecked Sendable`: the mutable members are touched on `queue` only; `journal` has a lock of its own.
final class LoopbackEngine: @unchecked Sendable {
    let port: UInt16
    let journal: LoopbackJournal
    private let queue = DispatchQueue(label: "network-testing.loopback-server")
    /// Entered for each open descriptor.
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
        journal = LoopbackJournal(maximumRequests: configuration.maximumRecordedRequests)
        queue.setSpecific(key: key, value: true)
        queue.sync {
            shared = LoopbackConnection.Shared(
                queue: queue, descriptors: descriptors, configuration: configuration, router: router, journal: journal)
            listener = LoopbackChannel(descriptor: socket.descriptor, queue: queue, group: descriptors) { [weak self] in
                self?.acceptConnections()
            }
        }
    }

    /// Closes every socket; returns when they are closed, but on the server's own queue at once.
    func stop() {
        guard DispatchQueue.getSpecific(key: key) == nil else { return shutDown() }
        queue.sync { shutDown() }
        descriptors.wait()
    }

    /// Closes the connections there are; new ones are accepted.
    func closeConnections() {
        guard DispatchQueue.getSpecific(key: key) == nil else { return closeAll() }
        queue.sync { closeAll() }
    }

    private func shutDown() {
        listener?.close()
        listener = nil
        closeAll()
        // The handlers may hold the server.
        shared = nil
        journal.stopped()
    }

    private func closeAll() {
        for connection in connections.values { connection.closeInOrder() }
    }

    private func acceptConnections() {
        // Not without end: those already connected have their turn too.
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
        let id = journal.connectionOpened()
        switch configuration.behavior.kind {
        case .serve, .neverAnswer:
            connections[id] = LoopbackConnection(id: id, descriptor: descriptor, shared: shared) { [weak self] in
                self?.connections.removeValue(forKey: id)
            }
        case .closeOnAccept, .resetOnAccept:
            if configuration.behavior == .resetOnAccept { LoopbackSocket.resetOnClose(descriptor) }
            LoopbackSocket.closeDescriptor(descriptor)
            journal.connectionClosed()
        }
    }

    /// Without descriptors the listener would report again and again what cannot be accepted.
    private func pauseListening() {
        listener?.setReading(false)
        queue.asyncAfter(deadline: .now() + .milliseconds(20)) { [weak self] in self?.listener?.setReading(true) }
    }
}

/// A descriptor and the event sources on it. The descriptor is closed once every source has let go of it.
///
/// `@unchecked Sendable`: every member is touched on the server's queue only, which the sources' handlers run on.
final class LoopbackChannel: @unchecked Sendable {
    let descriptor: Int32
    private let queue: DispatchQueue
    private let group: DispatchGroup
    private let readSource: any DispatchSourceRead
    private var writeSource: (any DispatchSourceWrite)?
    private var isReading = true
    private var isAwaitingWrite = false
    private var sourceCount = 1
    private(set) var isClosed = false

    /// - Parameters:
    ///   - group: Entered until the descriptor is closed.
    ///   - onReadable: Runs on the queue whenever there is something to read or accept.
    init(descriptor: Int32, queue: DispatchQueue, group: DispatchGroup, onReadable: @escaping @Sendable () -> Void) {
        self.descriptor = descriptor
        self.queue = queue
        self.group = group
        group.enter()
        readSource = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        readSource.setEventHandler(handler: onReadable)
        // Holds the channel until the source is done with it; dispatch releases the handler then.
        readSource.setCancelHandler { self.sourceEnded() }
        readSource.activate()
    }

    /// Stops or goes on reporting readability.
    func setReading(_ reads: Bool) {
        guard reads != isReading, !isClosed else { return }
        isReading = reads
        reads ? readSource.resume() : readSource.suspend()
    }

    /// Runs a closure once, on the queue, when the socket takes bytes again.
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

    /// Lets go of the descriptor; idempotent.
    func close() {
        guard !isClosed else { return }
        // A suspended source would never report that it ended.
        setReading(true)
        isClosed = true
        readSource.cancel()
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
        guard sourceCount == 0 else { return }
        writeSource = nil
        LoopbackSocket.closeDescriptor(descriptor)
        group.leave()
    }
}
