import DataTransfer
import Foundation

func service(_ configuration: APIConfiguration) -> DefaultDataTransferService {
    DefaultDataTransferService(configuration: configuration, interceptors: [.retry()])  // error: add `import NetworkPipeline`
}

enum Movies: API {  // error: add `import EndpointAPIs`
    case all
    var host: String { "api.example.com" }
    var endpoint: String { "movies" }
}

let titles = Endpoint<[String]>(path: "titles", responseDecoder: .envelope())  // error: add `import EndpointAPIs`

func upload(_ film: URL, _ service: DefaultDataTransferService) async throws {
    try await service.uploadResumably(film, to: Endpoint<Void>(path: "files"))  // error: add `import ResumableUploads`
}

func isRefused(_ error: any Error) -> Bool { (error as? UploadFailure) != nil }  // error: add `import ResumableUploads`
