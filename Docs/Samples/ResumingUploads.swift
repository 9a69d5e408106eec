import DataTransfer
import Foundation
import ResumableUploads

let service = DefaultDataTransferService(
    configuration: try APIConfiguration("https://api.example.com"))
let film = URL(fileURLWithPath: "/tmp/metropolis.mp4")

// snippet.resumable
let creation = Endpoint<Void>(path: "files")
do {
    let options = UploadOptions(
        metadata: ["filename": "metropolis.mp4"], chunkBytes: 8 << 20)
    let uploaded = try await service.uploadResumably(
        film, to: creation, options: options)
    print(uploaded.url)
} catch where error.dataTransferError?.uploadFailure?.code == .fileChanged {
    try await service.terminateUpload(film, to: creation)
}
// snippet.end
