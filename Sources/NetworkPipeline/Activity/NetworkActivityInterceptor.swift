import Endpoints
import NetworkCore

/// Counts every exchange that passes, also one that fails or is cancelled.
///
/// Where it stands in the list decides what an exchange is: before a retry, all attempts and the pauses between them are one;
/// behind it, each attempt is one.
public struct NetworkActivityInterceptor: NetworkInterceptor {
    private let activity: NetworkActivity

    /// - Parameter activity: What counts.
    public init(_ activity: NetworkActivity) {
        self.activity = activity
    }

    /// Counts the exchange for as long as `next` takes, and the body of a streamed one.
    public func intercept(
        _ request: NetworkRequest, next: NetworkExchange
    ) async throws(TransportError) -> NetworkResponse {
        activity.begin()
        do throws(TransportError) {
            var response = try await next(request)
            if let stream = response.stream {
                response.stream = stream.observed { [activity] _ in activity.end() }
            } else {
                activity.end()
            }
            return response
        } catch {
            activity.end()
            throw error
        }
    }
}

extension NetworkInterceptor where Self == NetworkActivityInterceptor {
    /// Counts every exchange that passes.
    public static func activity(_ activity: NetworkActivity) -> NetworkActivityInterceptor {
        NetworkActivityInterceptor(activity)
    }
}
