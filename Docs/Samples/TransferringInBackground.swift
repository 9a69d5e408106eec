import BackgroundTransfers
import Foundation

struct Receipt: Decodable, Sendable {
    var id: String
}

// snippet.transfer
func film(
    _ id: Int, in folder: URL, over background: BackgroundTransfers
) async throws -> DownloadedFile {
    try await background.download(
        Endpoint<Data>(path: "films/\(id)"), id: "film-\(id)",
        to: folder.appendingPathComponent("\(id).mp4"))
}

func receipt(
    of clip: URL, over background: BackgroundTransfers
) async throws -> Receipt {
    let endpoint = Endpoint<Receipt>(
        path: "clips", method: .post, body: .file(clip))
    return try await background.upload(endpoint, id: clip.lastPathComponent)
}
// snippet.end
