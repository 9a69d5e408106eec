import CAllocations

/// The number of calls of `malloc` in the second of two calls.
func allocations(of body: () throws -> Void) rethrows -> Int {
    try body()
    let before = allocations_of_thread()
    try body()
    return Int(allocations_of_thread() - before)
}
