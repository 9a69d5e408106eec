#if canImport(Darwin)
    import DataTransfer
    import Endpoints
    import Foundation
    import NetworkCore
    import NetworkSupport
    import NetworkTransport
    import NetworkURLSession

    extension BackgroundTransfers {
        /// Creates transfers with a background session of the system, and adopts those that it has continued.
        ///
        /// - Parameters:
        ///   - identifier: The name of the session in this app; for example the app's identifier and a suffix. It must be the same at each start.
        ///     Of two values with one identifier, the second one refuses all calls
        ///     (``NetworkTransport/TransportError/Code/invalidConfiguration``).
        ///   - configuration: The base URL, and the headers and query that all requests share. Read once per call.
        ///   - trust: The trust policy for all servers. Default: the system's authorities. With another one, the system starts the app to verify a
        ///     certificate.
        ///   - options: What the session may do, and its limits.
        ///   - folder: The private folder for outcomes and bodies. Default: `nil`, a folder in the app's Application Support. Extensions need one in
        ///     the shared container.
        ///   - errorResolver: Replaces network errors with errors of the application. Default: `nil`.
        ///   - errorLogger: Receives each failure once. Default: `nil`.
        ///   - encoder: Encodes the JSON bodies for which the endpoint has no encoder. Default: `nil`, which is ``Endpoints/DataEncoder/json``.
        ///   - decoder: Decodes JSON for endpoints without a decoder. Default: `nil`, which is a new ``NetworkJSON/TransferJSONDecoder``.
        public init(
            _ identifier: String, configuration: any NetworkConfigurable = .composed, trust: TrustPolicy = TrustPolicy(),
            options: BackgroundOptions = BackgroundOptions(), folder: URL? = nil,
            errorResolver: (any DataTransferErrorResolver)? = nil, errorLogger: (any DataTransferErrorLogger)? = nil,
            encoder: (any DataEncoder)? = nil, decoder: (any JSONDataDecoder)? = nil
        ) {
            let center = BackgroundCenter(
                identifier: identifier, folder: folder ?? Self.defaultFolder(identifier),
                maximumBodyBytes: options.maximumBodyBytes)
            self.init(
                center: center, configuration: configuration, options: options, errorResolver: errorResolver,
                errorLogger: errorLogger, encoder: encoder, decoder: decoder)
            do throws(TransportError) {
                center.open(try SystemBackgroundSession(identifier, options, trust: trust, center: center))
            } catch {
                center.refuse(with: error)
            }
        }

        private static func defaultFolder(_ identifier: String) -> URL {
            let files = FileManager.default
            let support = files.urls(for: .applicationSupportDirectory, in: .userDomainMask).first ?? files.temporaryDirectory
            let name = SHA256.digest(of: Array(identifier.utf8)).hexadecimal
            return support.appendingPathComponent("swift-data-transfer").appendingPathComponent("background-" + name)
        }
    }

    /// A background session of `URLSession`. It exists until the process ends.
    struct SystemBackgroundSession: BackgroundSession {
        /// The identifiers that are in use: the system permits one session for each.
        private static let identifiers = Locked<Set<String>>([])

        private let session: URLSession

        init(
            _ identifier: String, _ options: BackgroundOptions, trust policy: TrustPolicy, center: BackgroundCenter
        ) throws(TransportError) {
            let trust = try URLSessionServerTrust(policy)
            guard Self.identifiers.withLock({ $0.insert(identifier).inserted }) else {
                throw TransportError(
                    .invalidConfiguration, "identifier: \"\(identifier)\" is that of another background session of this process")
            }
            let configuration = URLSessionConfiguration.background(withIdentifier: identifier)
            configuration.isolate()
            configuration.isDiscretionary = options.isDiscretionary
            configuration.sessionSendsLaunchEvents = options.startsApp
            configuration.sharedContainerIdentifier = options.sharedContainerIdentifier
            configuration.allowsCellularAccess = options.allowsCellularAccess
            configuration.allowsExpensiveNetworkAccess = options.allowsExpensiveNetworkAccess
            configuration.allowsConstrainedNetworkAccess = options.allowsConstrainedNetworkAccess
            configuration.httpMaximumConnectionsPerHost = max(1, options.maximumConnectionsPerHost)
            configuration.timeoutIntervalForResource = max(1, options.totalTimeout / .seconds(1))
            trust.govern(configuration)
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            let delegate = BackgroundSessionDelegate(center: center, trust: trust)
            session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: queue)
        }

        func tasks() async -> [Int: BackgroundTask?] {
            await withCheckedContinuation { continuation in
                session.getAllTasks { tasks in
                    let found = tasks.map { ($0.taskIdentifier, BackgroundTask(text: $0.taskDescription)) }
                    continuation.resume(returning: Dictionary(found) { first, _ in first })
                }
            }
        }

        func start(_ request: BackgroundRequest, _ description: BackgroundTask) -> Int {
            let task: URLSessionTask =
                if let file = request.file {
                    session.uploadTask(with: request.request.urlRequest, fromFile: file)
                } else if let resumption = request.resumption {
                    session.downloadTask(withResumeData: resumption)
                } else {
                    session.downloadTask(with: request.request.urlRequest)
                }
            task.taskDescription = description.text
            task.resume()
            return task.taskIdentifier
        }

        func cancel(_ number: Int) {
            session.getAllTasks { tasks in
                for task in tasks where task.taskIdentifier == number { task.cancel() }
            }
        }

    }

    /// The delegate of a background session, which passes its events to the center.
    final class BackgroundSessionDelegate: NSObject, URLSessionDownloadDelegate, URLSessionDataDelegate, Sendable {
        private let center: BackgroundCenter
        private let trust: URLSessionServerTrust
        /// Why certificates were refused, by the number of the task.
        private let refusals = Locked<[Int: TransportError]>([:])

        init(center: BackgroundCenter, trust: URLSessionServerTrust) {
            self.center = center
            self.trust = trust
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            receive(.sent(totalBytesSent, total: Self.known(totalBytesExpectedToSend)), task)
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64,
            totalBytesExpectedToWrite: Int64
        ) {
            receive(.received(totalBytesWritten, total: Self.known(totalBytesExpectedToWrite)), downloadTask)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            receive(.data(data), dataTask)
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            receive(.downloaded(BackgroundHead(downloadTask.response), location), downloadTask)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            do throws(TransportError) {
                guard let url = task.currentRequest?.url else {
                    throw TransportError(.trustUnavailable, "URLSession passes no request", phase: .tls)
                }
                let (disposition, credential) = try trust.disposition(of: challenge, for: NetworkRequest(url: url))
                completionHandler(disposition, credential)
            } catch {
                refusals.withLock { $0[task.taskIdentifier] = error }
                completionHandler(.cancelAuthenticationChallenge, nil)
            }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let refusal = refusals.withLock { $0.removeValue(forKey: task.taskIdentifier) }
            let failure = error.map { refusal ?? Self.transportError($0) }
            let resumption = (error as NSError?)?.userInfo[NSURLSessionDownloadTaskResumeData] as? Data
            receive(.ended(BackgroundHead(task.response), failure, resumption: resumption), task)
        }

        func urlSessionDidFinishEvents(forBackgroundURLSession session: URLSession) {
            center.endEvents()
        }

        private func receive(_ event: BackgroundEvent, _ task: URLSessionTask) {
            center.receive(event, number: task.taskIdentifier, text: task.taskDescription)
        }

        private static func known(_ count: Int64) -> Int64? { count >= 0 ? count : nil }

        private static func transportError(_ error: any Error) -> TransportError {
            let failure = URLSessionErrors.transportError(error, phase: nil, request: nil)
            guard let number = (error as NSError).userInfo[NSURLErrorBackgroundTaskCancelledReasonKey] as? NSNumber else {
                return failure
            }
            return BackgroundCancellation(reason: Int(number.int64Value)).transportError
        }
    }

    extension BackgroundHead {
        init?(_ response: URLResponse?) {
            guard let response = response as? HTTPURLResponse else { return nil }
            self.init(status: response.statusCode, headers: HeaderFields(of: response))
        }
    }
#endif
