#if os(Linux)
    import CCurl
    import Endpoints

    extension CurlTransfer {
        /// Bytes have moved.
        func reportProgress() {
            guard let progress, let easy else { return }
            progress.report(at: lastActivity) { progress in
                progress.bytesSent = easy.offset(CCURLINFO_SIZE_UPLOAD_T)
                progress.totalBytesToSend = bodyLength
                progress.bytesReceived = easy.offset(CCURLINFO_SIZE_DOWNLOAD_T)
                progress.totalBytesToReceive = announcedLength
            }
        }

        /// The head is complete.
        func noteAnnouncedLength() {
            guard progress != nil else { return }
            announcedLength = head.headers["Content-Length"].flatMap(Int64.init)
        }
    }

    extension TransferProgress {
        /// - Parameter outcome: When the transfer went well, it tells how much there was.
        mutating func complete(with outcome: CurlTransfer.Outcome) {
            guard case .success(let response) = outcome else { return }
            bytesSent = response.timings.bytesSent
            totalBytesToSend = bytesSent
            bytesReceived = response.timings.bytesReceived
            totalBytesToReceive = bytesReceived
        }
    }
#endif
