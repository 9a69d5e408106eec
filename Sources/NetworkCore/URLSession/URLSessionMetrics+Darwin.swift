#if canImport(Darwin)
    import Foundation

    extension URLSessionDelegateBridge {
        /// Comes before the end of the task.
        @objc(URLSession:task:didFinishCollectingMetrics:)
        func urlSession(_ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics) {
            guard let last = metrics.transactionMetrics.last else { return }
            hop(of: task)?.update { $0.timings = last.timings }
        }
    }

    extension URLSessionTaskTransactionMetrics {
        fileprivate var timings: TransferTimings {
            func time(_ start: Date?, _ end: Date?) -> Duration? {
                guard let start, let end else { return nil }
                return .nanoseconds(Int64(max(0, end.timeIntervalSince(start)) * 1e9))
            }
            return TransferTimings(
                nameLookup: time(domainLookupStartDate, domainLookupEndDate),
                connect: time(connectStartDate, secureConnectionStartDate ?? connectEndDate),
                tls: time(secureConnectionStartDate, secureConnectionEndDate),
                send: countOfRequestBodyBytesSent > 0 ? time(requestStartDate, requestEndDate) : nil,
                firstByte: time(requestStartDate, responseStartDate),
                protocolName: networkProtocolName,
                isReusedConnection: isReusedConnection)
        }
    }
#endif
