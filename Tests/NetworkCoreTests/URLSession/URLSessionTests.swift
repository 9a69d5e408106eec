import Testing

/// The tests of `URLSession` run serially. On Linux, when `URLSession` closes a descriptor and another thread opens one with the
/// same number at the same time, such as a connection to the server of a concurrent test, the new descriptor may never be
/// reported as readable.
@Suite(.serialized) enum URLSessionTests {}
