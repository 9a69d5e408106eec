#if canImport(AsyncHTTPClient)
    import AsyncHTTPClient
    import NIOSSL

    extension Client {
        static let hasAsyncHTTPClient = true

        func startAsyncHTTPClient(_ load: Load) {
            var configuration = HTTPClient.Configuration()
            configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = load.concurrency
            if let authority = load.authority {
                var tls = TLSConfiguration.makeClientConfiguration()
                tls.trustRoots = .file(authority.path)
                configuration.tlsConfiguration = tls
            }
            let client = HTTPClient(configuration: configuration)
            let request = HTTPClientRequest(url: load.url.absoluteString)
            load.keepUp { load in
                let response = try await client.execute(request, timeout: .seconds(60))
                let body = try await response.body.collect(upTo: 64 << 20)
                load.count(status: Int(response.status.code), bytes: body.readableBytes)
            }
        }
    }
#else
    extension Client {
        static let hasAsyncHTTPClient = false

        func startAsyncHTTPClient(_ load: Load) { fail("built without async-http-client (BENCH_AHC=none)") }
    }
#endif
