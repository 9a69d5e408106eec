#if os(Linux)
    import Foundation
    @_spi(SessionManagers) import NetworkTransport

    /// Buffers that all transfers of an event loop share for receiving. Used only while the lock of the loop is held.
    final class Workspace {
        /// The buffers for reads from sockets, of which the first ones are in use.
        @exclusivity(unchecked) private var readBuffers: [UnsafeMutableRawBufferPointer] = []
        @exclusivity(unchecked) private var used = 0
        /// The buffer for decoded content.
        let decoded = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        let arrivals = Arrivals()

        deinit {
            for buffer in readBuffers { buffer.deallocate() }
            decoded.deallocate()
        }

        /// Returns a buffer of 128 KiB for reads from sockets, until ``giveBackReadBuffer()``.
        ///
        /// The end of a response may start another request, for which an idle connection is read first. So the bytes of a connection are still in use
        /// when those of another one are received.
        func takeReadBuffer() -> UnsafeMutableRawBufferPointer {
            if used == readBuffers.count { readBuffers.append(.allocate(byteCount: 128 << 10, alignment: 16)) }
            used += 1
            return readBuffers[used - 1]
        }

        /// Ends the use of the buffer that was taken last.
        func giveBackReadBuffer() {
            used -= 1
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
