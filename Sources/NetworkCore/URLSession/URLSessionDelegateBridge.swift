import Endpoints
import Foundation

/// The delegate of a session, which passes each event to the exchange of its task.
///
/// `URLSession` retains it until the session is invalidated; it retains only the current exchanges. It is called on a serial
/// queue.
final class URLSessionDelegateBridge: NSObject, URLSessionDataDelegate, Sendable {
    private let exchanges = Locked<[Int: URLSessionExchange]>([:])
    private let whenEnded: @Sendable (URLSessionExchange, (any Error)?) -> Void

    /// - Parameter whenEnded: Called once for each exchange, on the delegate's queue, after its last event.
    init(whenEnded: @escaping @Sendable (URLSessionExchange, (any Error)?) -> Void) {
        self.whenEnded = whenEnded
    }

    func add(_ exchange: URLSessionExchange) {
        exchanges.withLock { $0[exchange.task.taskIdentifier] = exchange }
    }

    func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        guard let exchange = exchange(of: task) else { return }
        exchange.transfer.progress?.report(at: monotonicNanoseconds()) { progress in
            progress.bytesSent = totalBytesSent
            progress.totalBytesToSend = Int64(exchange.request.body?.data?.count ?? 0)
        }
        exchange.transfer.move(to: totalBytesSent < Int64(exchange.request.body?.data?.count ?? 0) ? .send : .firstByte)
    }

    /// Never follows a redirect; the engine does. `URLSession` would send credentials to another origin, and on Linux lose the
    /// body.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let exchange = exchange(of: task) else { return }
        exchange.receive(response)
        exchange.unlessCancelled { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let exchange = exchange(of: task) else { return }
        exchange.unlessCancelled {
            let (disposition, credential) = exchange.disposition(of: challenge)
            completionHandler(disposition, credential)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let exchange = exchanges.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        whenEnded(exchange, error)
    }
}
