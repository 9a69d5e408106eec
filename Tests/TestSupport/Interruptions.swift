import Foundation

/// Returns the result of a system call, which is repeated while a signal interrupts it (`EINTR`).
///
/// - Parameter call: Returns a negative number and sets `errno` if it fails.
package func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
        let result = call()
        if result >= 0 || errno != EINTR { return result }
    }
}
