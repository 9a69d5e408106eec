import Endpoints
import Foundation

/// The delegate of a session: hands each event to the hop it is about.
///
/// `URLSession` retains it until the session is invalidated; it retains only the hops under way. It is called on a serial queue.
final class URLSessionDelegateBridge: NSObject, URLSessionDataDelegate, Sendable {
    private let hops = Locked<[Int: URLSessionHop]>([:])
    private let whenEnded: @Sendable (URLSessionHop, (any Error)?) -> Void

    /// - Parameter whenEnded: Runs once for each hop, on the delegate's queue, after its last event.
    init(whenEnded: @escaping @Sendable (URLSessionHop, (any Error)?) -> Void) {
        self.whenEnded = whenEnded
    }

    func add(_ hop: URLSessionHop) {
        hops.withLock { $0[hop.task.taskIdentifier] = hop }
    }

    func hop(of task: URLSessionTask) -> URLSessionHop? {
        hops.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        hop(of: dataTask)?.receive(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        hop(of: dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {
        guard let hop = hop(of: task) else { return }
        hop.transfer.progress?.report(at: monotonicNanoseconds()) { progress in
            progress.bytesSent = totalBytesSent
            progress.totalBytesToSend = Int64(hop.request.body?.data?.count ?? 0)
        }
        hop.transfer.move(to: totalBytesSent < Int64(hop.request.body?.data?.count ?? 0) ? .send : .firstByte)
    }

    /// Never follows: the engine does, since `URLSession` would show credentials to another origin, and on Linux lose the body.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        guard let hop = hop(of: task) else { return }
        hop.receive(response)
        hop.answer { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard let hop = hop(of: task) else { return }
        hop.answer {
            let (disposition, credential) = hop.disposition(of: challenge)
            completionHandler(disposition, credential)
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        guard let hop = hops.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
        whenEnded(hop, error)
    }
}
