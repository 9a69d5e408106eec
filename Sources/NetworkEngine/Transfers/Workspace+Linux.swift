#if os(Linux)
    import Foundation
    @_spi(SessionManagers) import NetworkTransport

    /// Buffers that all transfers of an event loop share for receiving. Used only while the lock of the loop is held.
    final class Workspace {
        /// The buffer for reads from sockets.
        let read = UnsafeMutableRawBufferPointer.allocate(byteCount: 128 << 10, alignment: 16)
        /// The buffer for decoded content.
        let decoded = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        let arrivals = Arrivals()

        deinit {
            read.deallocate()
            decoded.deallocate()
        }
    }

    /// The transfers whose readers have to be woken because content has arrived. Used only while the lock of the loop is held.
    final class Arrivals {
        @exclusivity(unchecked) private var transfers: [LoopTransfer] = []

        func note(_ transfer: LoopTransfer) {
            guard !transfer.hasArrivals else { return }
            transfer.hasArrivals = true
            transfers.append(transfer)
        }

        /// Wakes the readers of these transfers.
        func flush() {
            guard !transfers.isEmpty else { return }
            for transfer in transfers {
                transfer.hasArrivals = false
                transfer.download?.flush()
            }
            transfers.removeAll(keepingCapacity: true)
        }
    }
#endif
