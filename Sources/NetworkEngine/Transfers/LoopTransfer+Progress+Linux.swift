#if os(Linux)
    import NetworkSupport
    @_spi(SessionManagers) import NetworkTransport

    extension LoopTransfer {
        /// Reports progress after bytes were sent or received.
        func reportProgress(_ now: UInt64) {
            guard let notifier = driver.notifier else { return }
            notifier.report(at: now) { progress in
                let timings = timings(now)
                progress.bytesSent = timings.bytesSent
                progress.totalBytesToSend = upload.length
                progress.bytesReceived = exchange.bytesReceived
                progress.totalBytesToReceive = exchange.announcedLength
            }
        }
    }
#endif
