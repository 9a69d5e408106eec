import EndpointAPIs
import Foundation
import NetworkPipeline
import NetworkRecordings
import NetworkTesting

@testable import DataTransfer
@testable import ResumableUploads
import BackgroundTransfers

/// Values of the public types, made of ``Marks``. Each public type is in one of these lists.
enum DescribedValues {
    /// The types that contain no text, as their declarations mention only numbers and one another.
    static let withoutText: Set<String> = [
        "AWSSignature.Payload", "AcceptedStatuses", "AdaptiveLimit", "Backoff", "BodyCompression",
        "CacheStoreLimits", "ChallengeInterceptor.Strength",
        "CircuitBreakerOptions", "CompletionPlace", "ConnectionCounts", "CookieLimits", "DownloadOptions.ExistingFile",
        "EndedOperation",
        "HedgingOptions", "LogLevel", "LoopbackListenerBehavior", "LoopbackServerConfiguration", "ManualClock.Instant",
        "NoContent",
        "OAuthOptions.ClientAuthentication", "QueryStyle.Arrays", "QueryStyle.Booleans", "QueryStyle.Nested", "QueryStyle.Nils",
        "RateLimit", "RecordedSession.Mode", "RecordingLimits", "RequestDeadline", "RequestPriority", "RequestTimeouts",
        "RetryBudget",
        "RouteOptions.Family", "RouteOptions.KeepAliveProbes", "StoredCookie.SameSite", "TLSVersion", "TransferProgress",
        "TransportError.Phase", "ValueCache.Limits", "WebSocketCloseCode", "WebSocketCompression", "WebSocketMessage.Kind",
        "WebSocketRecording.Side",
    ]
    /// The values that are not of public types: errors within public errors, and those of ``Unredacted``.
    static let notPublic: Set<String> = [
        "CallDriver", "CallRules", "JSONSliceError", "PageError", "StreamEnd", "TrustRequirements", "TrustRequirements.Identity",
        "TrustRequirements.Roots",
        "Unredacted",
    ]
    /// The types of which a program has no values: they have neither cases nor an initializer.
    static let withoutValues: Set<String> = ["LoopbackRouteBuilder", "SecretValues"]

    static func all(_ m: Marks, in folder: URL) async throws -> [Any] {
        try await endpoints(m) + core(m, in: folder) + cache(m, in: folder) + pipeline(m, in: folder) + transfers(m)
            + testing(m, in: folder) + webSockets(m) + errors(m)
    }

    /// One value of each type that conforms to `Error`.
    static func errors(_ m: Marks) -> [any Error] {
        DescribedErrors.all(text: m.text, url: m.url, file: m.file, underlying: Unredacted(url: m.url, password: m.secret))
            + DescribedErrors.all(text: m.text, url: m.url, file: m.file, underlying: m.error)
    }

    private static func endpoints(_ m: Marks) throws -> [Any] {
        var form = MultipartForm(boundary: m.text)
        form.append(m.secret, name: "password")
        let parameters = RequestParameters(query: m.parameters, body: .json(m.parameters))
        let redirect = Redirect(request: m.request, statusCode: 302, headers: m.headers, target: m.url)
        let values: [Any] = [
            m.api, AcceptedMediaTypes([m.name]), ContentDigest.sha256(m.name), ContextValues(),
            ElementFailureRule.skip, m.endpoint, m.endpoint.request, EndpointBody(contentType: m.text, content: .data(m.data)),
            EndpointBody.json(m.parameters), EndpointBody.form(m.parameters), EndpointBody.text(m.secret),
            EndpointBody.multipart(form),
            EnvelopeStatus.text(m.text), m.headers, m.field, HeaderName(rawValue: m.name),
            InformationalResponse(statusCode: 103, headers: m.headers),
            JSONResponseDecoder.json(TransferJSONDecoder()), form,
            MultipartForm.Part(name: m.text, headers: m.headers, content: .data(m.data)),
            NetworkBody.data(m.data), m.request, m.parameters, PathParameters([m.text: m.secret]), QueryStyle(),
            QueryStyle.Bytes.base64,
            QueryStyle.Dates.iso8601, QueryStyle.Keys.unchanged, m.request.redactedURL, redirect,
            RedirectPolicy.decide { _ in .follow },
            RedirectPolicy.Decision.refuse(m.name), RequestCachePolicy(rawValue: m.name),
            RequestGenerationError.Field.query(m.text),
            RequestMethod(m.name), parameters, ResponseData(m.data, contentType: m.text),
            ServerSentEvent(type: m.text, data: m.secret, lastEventID: m.secret), StandardResponseDecoder.text,
            StandardResponseDecoder.envelope(status: JSONKeyPath(m.name)), StreamFormat<String>.lines(), JSONKeyPath(m.name),
        ]
        let decoder = TransferJSONDecoder()
        decoder.userInfo[CodingUserInfoKey(rawValue: "key")!] = m.secret
        let encoder = TransferJSONEncoder()
        encoder.userInfo[CodingUserInfoKey(rawValue: "key")!] = m.secret
        return values + [decoder, encoder, JSONResponseDecoder.json(decoder)] as [Any]
    }

    private static func transfers(_ m: Marks) async throws -> [Any] {
        let service = DefaultDataTransferService(
            configuration: m.api, sessionManager: m.session, interceptors: [Unredacted(url: m.url, password: m.secret)],
            errorResolver: ErrorBodyResolver<ProblemDetails>())
        let results = service.results(of: [m.endpoint])
        let stream = try await service.stream(for: m.endpoint)
        let values = try await service.stream(m.endpoint, as: .lines())
        let events = service.events(m.endpoint, lastEventID: m.secret)
        let pages = service.pages(of: m.endpoint, by: .cursor(m.text) { _ in m.secret })
        return [
            results, results.makeAsyncIterator(), DataTransferResponse(value: NoContent(), headers: m.headers, url: m.url),
            stream,
            stream.makeAsyncIterator(), service, DownloadDestination.file(m.file), DownloadDestination.folder(m.url),
            DownloadOptions(resumeIdentity: m.secret), DownloadedFile(url: m.file, byteCount: 1, headers: m.headers),
            ErrorBodyResolver<ProblemDetails>(), events, events.makeAsyncIterator(), EventStreamOptions(),
            FileFailure.Code(rawValue: m.name),
            PageRule<NoContent>.cursor(m.text) { _ in m.secret }, pages, pages.makeAsyncIterator(),
            PartialDownload(url: m.file, byteCount: 1, age: .zero, isResumable: true), UploadFailure.Code(rawValue: m.name),
            UploadOptions(stateFile: m.url, metadata: ["token": m.secret]), UploadedFile(url: m.url, byteCount: 1), values,
            BackgroundOptions(sharedContainerIdentifier: m.secret),
            BackgroundTransfers(
                center: BackgroundCenter(identifier: m.name, folder: m.file, maximumBodyBytes: 1), configuration: m.api,
                options: BackgroundOptions()),
            values.makeAsyncIterator(),
        ]
    }
}
