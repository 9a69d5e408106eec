import Dispatch
import Endpoints
import Foundation

extension LoopbackConnection {
    private enum Progress {
        case done
        /// A pending event will call `resume()`, or the connection is closed.
        case suspended
    }

    /// The maximum number of bytes sent before other connections are served.
    private static let sendBudget = 1 << 20

    /// The time for which a client may continue to send after a response to an incomplete request.
    private static let lingering = Duration.seconds(2)

    /// Performs the steps of the plan; returns `false` if that is suspended or the connection is closed.
    func performPlan() -> Bool {
        var budget = Self.sendBudget
        while stepIndex < plan.steps.count {
            let progress =
                switch plan.steps[stepIndex] {
                case .send(let bytes): send(bytes, upTo: bytes.count, budget: &budget)
                case .repeatForever(let bytes): sendAgain(bytes, budget: &budget)
                case .drip(let bytes, let portion, let pause): drip(bytes, portion, pause, budget: &budget)
                case .pause(let duration): pause(duration, thenFromByte: 0, ofStep: stepIndex + 1)
                }
            guard progress == .done else { return false }
            stepIndex += 1
            sentBytes = 0
        }
        return finishPlan()
    }

    private func send(_ bytes: Data, upTo end: Int, budget: inout Int) -> Progress {
        while sentBytes < end {
            guard budget > 0 else {
                phase = .waiting
                shared.queue.async { [weak self] in self?.resume() }
                return .suspended
            }
            let start = sentBytes
            let limit = min(end, start + budget)
            let transfer = bytes.withUnsafeBytes {
                LoopbackSocket.write(descriptor, UnsafeRawBufferPointer(rebasing: $0[start..<limit]))
            }
            switch transfer {
            case .bytes(let count):
                sentBytes += count
                budget -= count
            case .wouldBlock:
                resumeWhenWritable()
                return .suspended
            case .failed:
                close()
                return .suspended
            }
        }
        return .done
    }

    private func sendAgain(_ bytes: Data, budget: inout Int) -> Progress {
        while true {
            guard send(bytes, upTo: bytes.count, budget: &budget) == .done else { return .suspended }
            sentBytes = 0
        }
    }

    private func drip(_ bytes: Data, _ portion: Int, _ duration: Duration, budget: inout Int) -> Progress {
        let end = min(bytes.count, sentBytes - sentBytes % portion + portion)
        guard send(bytes, upTo: end, budget: &budget) == .done else { return .suspended }
        return end == bytes.count ? .done : pause(duration, thenFromByte: end, ofStep: stepIndex)
    }

    private func pause(_ duration: Duration, thenFromByte byte: Int, ofStep step: Int) -> Progress {
        sentBytes = byte
        stepIndex = step
        after(duration) { $0.resume() }
        phase = .waiting
        return .suspended
    }

    private func finishPlan() -> Bool {
        switch plan.ending {
        case .keepAlive:
            phase = .receiving
            return true
        case .stall:
            return stopResponding()
        case .close:
            closeInOrder()
        case .closeLingering:
            // Closing while the client sends would reset the connection, and the response could be lost.
            LoopbackSocket.finishSending(descriptor)
            after(Self.lingering) { $0.close() }
            return stopResponding()
        case .reset:
            // A reset discards bytes in transit, so it waits until the client's system has received them.
            guard LoopbackSocket.unconfirmedBytes(descriptor) == 0 else {
                after(.milliseconds(1)) { $0.resume() }
                phase = .waiting
                return false
            }
            LoopbackSocket.resetOnClose(descriptor)
            close()
        }
        return false
    }

    /// Closes the connection after reading the bytes that have arrived: with unread bytes, the system would send a reset.
    func closeInOrder() {
        for _ in 0..<16 {
            guard phase != .closed, case .bytes(1...) = LoopbackSocket.read(descriptor, into: shared.readBuffer) else { break }
        }
        close()
    }

    private func after(_ duration: Duration, _ action: @escaping @Sendable (LoopbackConnection) -> Void) {
        let timer = DispatchSource.makeTimerSource(queue: shared.queue)
        timer.setEventHandler { [weak self] in
            guard let self else { return }
            self.timer = nil
            action(self)
        }
        timer.schedule(deadline: .now() + duration.dispatchInterval)
        self.timer?.cancel()
        self.timer = timer
        timer.activate()
    }
}

extension Duration {
    /// The duration in nanoseconds, limited to the range of dispatch.
    fileprivate var dispatchInterval: DispatchTimeInterval {
        let (seconds, attoseconds) = clamped(to: .zero...(.longest)).components
        return .nanoseconds(Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000))
    }
}
