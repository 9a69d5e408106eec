import Dispatch
import Foundation

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
