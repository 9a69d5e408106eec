import Dispatch

/// Where completions run that were not given a queue: concurrent, and no transfer depends on it.
package enum CompletionQueue {
    package static func run(_ work: @escaping @Sendable () -> Void) {
        DispatchQueue.global().async(execute: work)
    }
}
