// swiftc: -parse-as-library
// Compiled on Linux, and for macOS 13 by Scripts/check-darwin.
import DataTransfer
import Foundation

#if canImport(Combine)
    import Combine
#endif

// snippet.problem
extension Error {
    /// What a person reads; `nil` for a cancelled call, which is no failure.
    var problem: String? {
        if isCancelled { return nil }
        if isConnectivity { return "There is no connection." }
        if isTimeout { return "The server does not respond." }
        if statusCode == .unauthorized { return "Please sign in again." }
        if statusCode == .notFound { return "It does not exist any more." }
        return "That did not work."
    }
}
// snippet.end

// snippet.download
@MainActor
final class FilmDownload: ObservableObject {
    @Published private(set) var fraction = 0.0
    @Published private(set) var file: URL?
    @Published private(set) var problem: String?
    private let film: Endpoint<Void>
    private let destination: URL
    private let service: any DataTransferService
    private var running: Task<Void, Never>?

    init(
        _ film: Endpoint<Void>, to destination: URL,
        service: any DataTransferService
    ) {
        self.film = film
        self.destination = destination
        self.service = service
    }

    /// Begins the download, or continues an interrupted one.
    func run() async {
        let task = Task { [earlier = running] in
            await earlier?.value
            if !Task.isCancelled { await load() }
        }
        running = task
        await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
    }

    private func load() async {
        guard file == nil else { return }
        problem = nil
        let progress = ProgressMonitor { @MainActor [weak self] state in
            self?.fraction = state.fractionReceived ?? 0
        }
        do {
            file = try await service.download(
                film, to: destination, progress: progress).url
        } catch {
            problem = error.problem
        }
    }
}
// snippet.end

// snippet.upload
@MainActor
final class PhotoUpload: ObservableObject {
    @Published private(set) var fraction: Double?
    @Published private(set) var problem: String?
    private let service: any DataTransferService

    init(service: any DataTransferService) {
        self.service = service
    }

    func send(_ photo: URL) async {
        (fraction, problem) = (0, nil)
        defer { fraction = nil }
        var form = MultipartForm()
        form.append(.file(photo), name: "photo")
        let progress = ProgressMonitor { @MainActor [weak self] state in
            self?.fraction = state.fractionSent
        }
        do {
            try await service.upload(
                .multipart(form),
                to: Endpoint<Void>(path: "photos", method: .post),
                progress: progress)
        } catch {
            problem = error.problem
        }
    }
}
// snippet.end

// snippet.events
struct Headline: Identifiable {
    let id: Int
    let text: String
}

@MainActor
final class NewsFeed: ObservableObject {
    @Published private(set) var headlines: [Headline] = []
    @Published private(set) var problem: String?
    private let service: any DataTransferService

    init(service: any DataTransferService) {
        self.service = service
    }

    func follow(_ channel: String) async {
        (headlines, problem) = ([], nil)
        let news = Endpoint<Void>(
            path: "news", queryParameters: ["channel": channel])
        do {
            for try await event in service.events(news) {
                if Task.isCancelled { return }
                headlines.append(
                    Headline(id: headlines.count, text: event.data))
            }
        } catch {
            problem = error.problem
        }
    }
}
// snippet.end

#if !canImport(Combine)
    // Linux has no Combine. These take the place of its declarations, so that the models above compile.
    protocol ObservableObject: AnyObject {}

    @propertyWrapper struct Published<Value> {
        var wrappedValue: Value
    }
#endif
