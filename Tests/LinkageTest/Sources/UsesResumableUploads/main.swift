import Foundation
import ResumableUploads

let service = DefaultDataTransferService(configuration: try APIConfiguration("http://127.0.0.1:1"))
do {
    let creation = Endpoint<Void>(path: "files")
    print(try await service.uploadResumably(URL(fileURLWithPath: "/missing"), to: creation).url)
} catch {
    print(error.dataTransferError?.uploadFailure?.code ?? .busy)
}
