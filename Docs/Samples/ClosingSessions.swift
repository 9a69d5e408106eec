import DataTransfer

#if os(Linux)
    let session = CurlSessionManager()

    // snippet.counts
    let counts = await session.connectionCounts()
    print(
        counts.total.open, counts.total.waiting,
        counts.byOrigin["https://api.example.com:443"]?.idle ?? 0)
    let report = await session.close(grace: .seconds(10))
    for error in report.cancelled {
        print(error.request ?? "", error.phase?.rawValue ?? "")
    }
// snippet.end
#endif
