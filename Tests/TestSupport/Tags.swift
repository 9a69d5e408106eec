import Testing

/// Each tag marks the tests that show one row of the table of what other systems have in Docs/Comparison.md. Its comment is the row's first column.
extension Tag {
    /// Layers, each replaceable: configuration, session manager, network service, data transfer service
    @Tag package static var layers: Tag
    /// Completion, with a handle that cancels and a queue
    @Tag package static var completions: Tag
    /// `async`
    @Tag package static var asyncCalls: Tag
    /// Publishers
    @Tag package static var publishers: Tag
    /// An enum as an endpoint
    @Tag package static var endpointEnums: Tag
    /// An API composed of small protocols, values shared by an extension
    @Tag package static var composedAPIs: Tag
    /// Two APIs with two hosts side by side
    @Tag package static var severalHosts: Tag
    /// Query and body from `Encodable` or a dictionary, also a top-level array
    @Tag package static var parameters: Tag
    /// JSON, form and raw bodies with their `Content-Type`
    @Tag package static var bodies: Tag
    /// Shared headers and query, merged, one endpoint's own first
    @Tag package static var sharedValues: Tag
    /// Configuration by a closure, per request
    @Tag package static var computedConfiguration: Tag
    /// JSON, raw data, key paths, custom decoders
    @Tag package static var decoders: Tag
    /// Empty responses: `Void`, `NoContent`, optionals
    @Tag package static var emptyResponses: Tag
    /// A bad status is an error, with its body
    @Tag package static var statusErrors: Tag
    /// Envelopes: `status`, `message`, `data`, and refusals on HTTP 200
    @Tag package static var envelopes: Tag
    /// Custom errors: resolver, adapter
    @Tag package static var customErrors: Tag
    /// Loggers for network and decoding; levels, durations, indented JSON, cURL
    @Tag package static var loggers: Tag
    /// Download to a file; decoded download
    @Tag package static var downloads: Tag
    /// Upload with progress
    @Tag package static var uploadProgress: Tag
    /// Multipart forms
    @Tag package static var multipartForms: Tag
    /// Streams with a parser
    @Tag package static var parsedStreams: Tag
    /// Several at once, in order, fail fast
    @Tag package static var concurrentRequests: Tag
    /// Retry with a count; header adapter; reachability
    @Tag package static var retriesAndHeaders: Tag
    /// Network activity, 0↔1 edges
    @Tag package static var networkActivity: Tag
    /// Response and value cache: memory, disk, expiry, limits, clearing
    @Tag package static var caches: Tag
    /// Certificate pins; public-key pins, backup pins
    @Tag package static var pins: Tag
    /// Mocks from data and JSON files; "not mocked" is an error
    @Tag package static var mocks: Tag
}
