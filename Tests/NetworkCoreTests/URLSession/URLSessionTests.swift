import Testing

/// The tests over `URLSession`, one after the other: on Linux, a descriptor it closes can make a descriptor that another thread
/// opens at the same moment deaf, such as that of a connection to the server of a test that runs beside.
@Suite(.serialized) enum URLSessionTests {}
