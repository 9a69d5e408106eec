import DataTransfer
import Foundation
import NetworkSupport
import NetworkTesting
import Testing
import TransferTestSupport

/// Whatever fails at whatever time, also if the resource changes meanwhile, a file with the final name is one version of the resource.
@Suite(.timeLimit(.ofStorm))
struct RangeStormTests {
    private static let rounds = runs(20, slow: 400)

    /// Replaces a response by a random fault, or changes the resource.
    private static func disturb(_ random: inout SeededGenerator, _ response: LoopbackResponse) -> LoopbackResponse {
        let count = random.below(response.body.count + 1)
        switch random.below(14) {
        case 0...2: return response.fault(.truncateBody(after: count))
        case 3: return response.fault(.resetBody(after: count))
        case 4: return response.fault(.reset)
        case 5: return .status(random.pick([404, 429, 500, 503]))
        case 6 where response.status == 206:
            // Not for 200: nothing says that such a body is not the whole file.
            var short = response
            short.body = short.body.prefix(count)
            return short
        case 7:
            var other = response
            other.headers["Content-Range"] = "bytes \(count)-\(count + 10)/\(count + 100)"
            return other
        default: return response
        }
    }

    @Test func `a complete file is always one version`() async throws {
        let random = Locked(SeededGenerator(seed: 7))
        let folder = try TemporaryFolder()
        let session = DefaultSessionManager()
        var (changes, kills, resumptions) = (0, 0, 0)
        // What must happen at random depends on the order of threads as well, so it is awaited.
        for round in 0..<Self.rounds * 10 where round < Self.rounds || changes == 0 || kills == 0 || resumptions == 0 {
            let length = random.withLock { $0.below(1 << 19) + 1 }
            let versions = (0..<3).map { sampleBytes(length + $0 % 2, seed: UInt64(round * 3 + $0)) }
            let served = ServedFile(versions[0], headers: ["ETag": "\"0\"", "Accept-Ranges": "bytes"])
            let version = Locked(0)
            let isDisturbing = Locked(true)
            let running = Locked<Task<DownloadedFile, any Error>?>(nil)
            let server = try LoopbackServer { request in
                if random.withLock({ $0.chance(30) }) { running.withLock { $0 }?.cancel() }
                let changes = isDisturbing.withLock { $0 } && random.withLock { $0.chance(6) }
                if changes {
                    let next = version.withLock { version in
                        version = min(version + 1, 2)
                        return version
                    }
                    served.change {
                        $0.body = versions[next]
                        $0.headers["ETag"] = "\"\(next)\""
                    }
                }
                let response = served.respond(to: request)
                return isDisturbing.withLock { $0 } ? random.withLock { Self.disturb(&$0, response) } : response
            }
            let service = server.service(session: session)
            var file: DownloadedFile?
            for attempt in 0..<60 where file == nil {
                if attempt == 40 { isDisturbing.withLock { $0 = false } }
                let (concurrency, minimum, isKilling) = random.withLock {
                    ($0.below(5) + 1, Int64($0.below(1 << 16) + 1), $0.chance(30))
                }
                let options = DownloadOptions(maximumConcurrency: concurrency, minimumRangeBytes: minimum)
                let place = folder.file("movie.mp4")
                let gate = AsyncGate()
                let download = Task<DownloadedFile, any Error> {
                    await gate.wait()
                    return try await service.download(movie, to: .file(place), options: options)
                }
                if isKilling { running.withLock { $0 = download } }
                gate.open()
                do {
                    file = try await download.value
                } catch let error as DataTransferError {
                    if error.isCancelled { kills += 1 }
                    #expect(!folder.names.contains("movie.mp4"), "round \(round): \(error)")
                }
            }
            let complete = try #require(file, "round \(round) does not end")
            if complete.resumedFrom > 0 { resumptions += 1 }
            let content = try folder.contents("movie.mp4")
            let match = versions.firstIndex { $0 == content }
            let common = match == nil ? versions.map { zip($0, content).prefix { $0 == $1 }.count } : []
            #expect(match != nil, "round \(round): \(content.count) bytes, \(common) of which are those of the versions")
            if match ?? 0 > 0 { changes += 1 }
            #expect(folder.names == ["movie.mp4"] && folder.openDescriptors == 0, "round \(round)")
            try FileManager.default.removeItem(at: complete.url)
        }
        #expect(changes > 0 && kills > 0 && resumptions > 0)
    }
}
