import DataTransfer
import EndpointAPIs
import Foundation
import NetworkAuthorization
import NetworkObservation
import NetworkPipeline
import ResumableUploads

func service(_ configuration: APIConfiguration) -> DefaultDataTransferService {
    DefaultDataTransferService(configuration: configuration, interceptors: [.retry(), .deadline(.seconds(5))])
}

// What another module has is used where it is imported, also beside the module that names it.
enum Movies: API {
    case all
    var host: String { "api.example.com" }
    var endpoint: String { "movies" }
    var parameters: RequestParameters { .query(["page": 1]) }
}

let titles = Endpoint<[String]>(path: "titles", responseDecoder: .envelope())
let codes = Endpoint<[String]>(path: "titles", responseDecoder: .envelope(status: "code", success: [0]))

func upload(_ film: URL, _ service: DefaultDataTransferService) async throws -> UploadFailure? {
    do {
        let uploaded = try await service.uploadResumably(film, to: Endpoint<Void>(path: "files"))
        print(uploaded.url)
        _ = try await service.uploadResumably(film, to: Movies.all, options: UploadOptions(chunkBytes: 1 << 20))
    } catch let error as DataTransferError {
        return error.uploadFailure
    }
    return nil
}

func client(_ store: any CredentialStore) throws -> [any NetworkInterceptor] {
    let oauth = try OAuthClient(tokenURL: "https://auth.example.com/token", clientID: "app")
    let keys = AWSCredentials(accessKeyID: "a", secretAccessKey: "b")
    let signature = AWSSignature(credentials: keys, region: "eu-central-1", service: "s3")
    return [
        .authentication(oauth.refreshing(savedIn: store), for: .composed), .signing(signature, for: .composed),
        .signing(MessageSignature(keyID: "a", key: Data(count: 32)), for: .composed),
    ]
}

struct AttemptLog: ExchangeObserver {
    func exchangeDidProgress(_ event: ExchangeEvent) { print(event.kind, TraceContext.current as Any) }
}

func observed(_ waterfall: Waterfall) -> RequestPipeline {
    var pipeline = RequestPipeline {
        $0.observation = .observation(waterfall)
        $0.activity = NetworkActivity { isActive in print(isActive) }
        $0.trace = .trace
    }
    pipeline.observation = .observation(AttemptLog(), clock: ContinuousClock())
    pipeline.observation = .observation { event in
        if case .noted(let text) = event.kind { print(text) }
    }
    return pipeline
}
