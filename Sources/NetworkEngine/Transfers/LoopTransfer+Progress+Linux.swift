#if os(Linux)
    import NetworkSupport
    import NetworkTransport

    extension LoopTransfer {
        /// Reports progress after bytes were sent or received.
        func reportProgress(_ now: UInt64) {
            guard let progress else { return }
            progress.report(at: now) { progress in
                let timings = timings(now)
                progress.bytesSent = timings.bytesSent
                progress.totalBytesToSend = upload.length
                progress.bytesReceived = exchange.bytesReceived
                progress.totalBytesToReceive = exchange.announcedLength
            }
        }
    }

    extension TransferProgress {
        /// Sets the final numbers of bytes if the transfer has succeeded.
        mutating func complete(with outcome: Transfer.Outcome) {
            guard case .success(let response) = outcome else { return }
            bytesSent = response.timings.bytesSent
            totalBytesToSend = bytesSent
            bytesReceived = response.timings.bytesReceived
            totalBytesToReceive = bytesReceived
        }
    }
#endif
