import DataTransferOpenCombine
import Dispatch
import Foundation
import NetworkTesting
import Testing

/// Where values are published. A closure of the main actor stops the process elsewhere.
@MainActor @Suite(.timeLimit(.minutes(10))) struct MainActorTests {
    private let session = StubSessionManager()
    private let film = Endpoint<Film>(path: "film")
    private var service: DefaultDataTransferService { .make(session) }

    /// A queue that counts what it runs.
    private final class Recording: DataTransferDispatchQueue {
        let count = Guarded(0)

        func asyncExecute(work: @escaping @Sendable () -> Void) {
            count.withLock { $0 += 1 }
            DispatchQueue.global().async(execute: work)
        }
    }

    /// A model whose properties belong to the main actor.
    @MainActor private final class Model {
        var films: [Int] = []
        var subscriptions: Set<AnyCancellable> = []

        /// Subscribes with closures that belong to the main actor, and waits for the completion.
        func load(_ publisher: AnyPublisher<Film, DataTransferError>) async {
            await withCheckedContinuation { continuation in
                publisher
                    .map { film in
                        self.films.append(film.id)
                        return film
                    }
                    .sink { _ in
                        continuation.resume()
                    } receiveValue: { film in
                        self.films.append(film.id + self.films.count)
                    }
                    .store(in: &subscriptions)
            }
        }
    }

    @Test func `a subscriber on the main queue receives on it, whatever is between`() async {
        session.route(.json(#"{"id": 7}"#), for: "/film")
        session.route(.text("{\"id\": 1}\n{\"id\": 2}"), for: "/films")
        let model = Model()
        await model.load(service.requestPublisher(film))
        #expect(model.films == [7, 8])
        let (service, film) = (service, film)
        await model.load(service.requestPublisher(film).flatMap { _ in service.requestPublisher(film) }.eraseToAnyPublisher())
        await model.load(service.streamPublisher(Endpoint<Void>(path: "films"), as: .ndjson(Film.self)))
        #expect(model.films.count == 8)
    }

    @Test func `each publisher uses the queue that is passed`() async {
        let (service, file) = (service, FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString))
        // Each ends with a failure at once, as there is no stub.
        let publishers: [(Recording) -> AnyPublisher<Void, any Error>] = [
            { service.requestPublisher(self.film, on: $0).ended }, { service.responsePublisher(for: self.film, on: $0).ended },
            { service.concurrentlyPublisher([self.film], on: $0).ended },
            { service.concurrentlyPublisher(collecting: [self.film], on: $0).ended },
            { service.concurrentlyPublisher(self.film, self.film, on: $0).ended },
            { service.uploadPublisher(.text("a"), to: self.film, on: $0).ended },
            { service.responsePublisher(for: self.film, uploading: .text("a"), on: $0).ended },
            { service.downloadPublisher(self.film, to: .file(file), on: $0).ended },
            { service.downloadPublisher(self.film, on: $0).ended },
            { service.streamPublisher(self.film, as: .lines(), on: $0).ended },
            { service.streamPublisher(for: self.film, on: $0).ended },
            { service.eventsPublisher(Endpoint<Void>(path: "events", method: .post), on: $0).ended },
            { service.pagesPublisher(of: self.film, by: .linkHeader, on: $0).ended },
            { service.resultsPublisher(of: [self.film], on: $0).ended },
            { service.uploadUpdatesPublisher(.text("a"), to: self.film, on: $0).ended },
            { service.downloadUpdatesPublisher(self.film, to: .file(file), on: $0).ended },
            { service.downloadUpdatesPublisher(self.film, on: $0).ended },
        ]
        for (index, publisher) in publishers.enumerated() {
            let queue = Recording()
            _ = await publisher(queue).recorded()
            #expect(queue.count.withLock { $0 } > 0, "publisher \(index)")
        }
    }
}

extension Publisher {
    /// The end, without values.
    fileprivate var ended: AnyPublisher<Void, any Error> { map { _ in }.mapError { $0 }.eraseToAnyPublisher() }
}
