// Compiled for macOS 13 by Scripts/check-darwin, together with AppModels.swift.
import Foundation
import SwiftUI

// snippet.download
struct FilmView: View {
    @StateObject var download: FilmDownload
    @State private var attempt = 0

    var body: some View {
        VStack {
            ProgressView(value: download.fraction)
            if download.file != nil { Text("Ready to watch") }
            if let problem = download.problem {
                Text(problem)
                Button("Continue") { attempt += 1 }
            }
        }
        .task(id: attempt) { await download.run() }
    }
}
// snippet.end

// snippet.upload
struct PhotoView: View {
    @StateObject var upload: PhotoUpload
    @State private var isSending = false
    let photo: URL

    var body: some View {
        VStack {
            if let fraction = upload.fraction {
                ProgressView(value: fraction)
                Button("Cancel") { isSending = false }
            } else {
                Button("Send") { isSending = true }
            }
            if let problem = upload.problem { Text(problem) }
        }
        .task(id: isSending) {
            guard isSending else { return }
            await upload.send(photo)
            if !Task.isCancelled { isSending = false }
        }
    }
}
// snippet.end

// snippet.events
struct NewsView: View {
    @StateObject var feed: NewsFeed
    let channel: String

    var body: some View {
        List(feed.headlines) { headline in Text(headline.text) }
            .task(id: channel) { await feed.follow(channel) }
    }
}
// snippet.end
