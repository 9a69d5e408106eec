extension HeaderFields {
    /// The fields whose values identify a single request or its trace: they differ with each request, and select neither a resource nor a
    /// user.
    private static let identifierNames: FieldNames = [
        // W3C Trace Context and Baggage.
        "traceparent", "tracestate", "baggage",
        // Common names for the number of a request, and for that of a group of requests.
        "x-request-id", "request-id", "x-correlation-id", "correlation-id", "x-correlationid", "x-trace-id", "trace-id",
        "x-span-id",
        "x-transaction-id", "x-client-request-id", "client-request-id", "x-client-trace-id", "x-request-uuid",
        "x-request-start",
        "idempotency-key", "x-idempotency-key",
        // Amazon, Google, Microsoft.
        "x-amzn-trace-id", "x-amzn-requestid", "x-amz-request-id", "x-amz-cf-id", "amz-sdk-invocation-id", "amz-sdk-request",
        "x-cloud-trace-context", "x-goog-request-id", "x-ms-client-request-id", "x-ms-correlation-request-id",
        "x-ms-request-id",
        // B3, Jaeger, gRPC, SkyWalking.
        "b3", "uber-trace-id", "grpc-trace-bin", "grpc-tags-bin", "sw8", "sw8-correlation", "sw8-x",
        // Sentry, New Relic, Elastic, Dynatrace, Instana, Honeycomb.
        "sentry-trace", "newrelic", "x-newrelic-id", "x-newrelic-transaction", "elastic-apm-traceparent", "x-dynatrace",
        "x-instana-t", "x-instana-s", "x-instana-l", "x-honeycomb-trace",
    ]

    /// The beginnings of the names of such fields: B3, Datadog, OpenTracing.
    private static let identifierPrefixes = ["x-b3-", "x-datadog-", "ot-tracer-"]

    /// Returns whether a field identifies a single request or its trace, so that it is never equal in two requests.
    package static func identifiesRequest(_ name: String) -> Bool {
        identifierNames.contains(name)
            || identifierPrefixes.contains {
                name.utf8.count > $0.utf8.count && isSame(String(name.utf8.prefix($0.utf8.count)) ?? "", $0)
            }
    }

    /// The fields by which servers and proxies replace the host, the path or the method of a request.
    package static let selectingNames: FieldNames =
        [
            "host", "forwarded", "x-forwarded-host", "x-forwarded-server", "x-forwarded-proto", "x-forwarded-scheme",
            "x-forwarded-port",
            "x-forwarded-prefix", "x-host", "x-original-host", "x-original-url", "x-original-uri", "x-rewrite-url",
            "x-override-url",
        ] + methodNames

    private static let methodNames: FieldNames = [
        "x-http-method-override", "x-http-method", "x-method-override", "x-original-method",
    ]

    /// Whether a field names another method than that of the request line, whose rules may be others.
    package var replaceMethod: Bool { contains { Self.methodNames.contains($0.name) } }
}
