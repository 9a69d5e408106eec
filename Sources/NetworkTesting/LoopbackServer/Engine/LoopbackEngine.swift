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
