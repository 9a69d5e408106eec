/// Returns when the task is cancelled.
///
/// A call after it certainly begins in a cancelled task. Of calls that are cancelled at random times, there may be none that ends early.
package func waitForCancellation() async {
    while !Task.isCancelled { await Task.yield() }
}
