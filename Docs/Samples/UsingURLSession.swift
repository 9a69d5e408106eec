import DataTransfer
import NetworkURLSession

let api = try APIConfiguration("https://api.example.com/3")

// snippet.session
let session = URLSessionManager(configuration: SessionConfiguration())
let service = DefaultDataTransferService(
    configuration: api, sessionManager: session)
// snippet.end

print(try await service.request(Endpoint<[String]>(path: "movie/titles")))
