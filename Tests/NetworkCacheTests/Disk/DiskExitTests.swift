#if os(Linux)
    import Endpoints
    import Foundation
    import Glibc
    import NetworkCore
    import NetworkSupport
    import Testing
    import TransferTestSupport

    @testable import NetworkCache

    /// The tests of the disk cache that need separate processes.
    @Suite(.serialized, .timeLimit(.ofStorm))
    struct DiskExitTests {
        private let directory: CacheDirectory

        init() throws {
            directory = try CacheDirectory()
        }

        private static let keys = 6
        /// The payload size of a version of a key, in bytes.
        private static func count(_ key: Int, _ version: Int) -> Int { (version &* 7_919 &+ key &* 104_729) % 50_000 }

        /// Kills this process from a timer, at a moment that the test cannot prepare for and that differs in each round.
        private static func killSelf(after microseconds: Int) {
            DispatchQueue(label: "killer").asyncAfter(deadline: .now() + .microseconds(microseconds)) { kill(getpid(), SIGKILL) }
        }

        private static func folderOfRecords(_ place: URL) throws -> DiskRecords {
            try DiskRecords(place, limits: DiskLimits(bytes: 1 << 30, entries: 1 << 20, recordBytes: 1 << 20))
        }

        // MARK: Killed processes

        /// The child process writes versions of a few keys one after the other, and logs each one as soon as it is acknowledged.
        /// It is killed at an arbitrary moment.
        @Test func `a process killed while writing loses no acknowledged record and mixes no two records`() async throws {
            let notes = directory.url.appendingPathComponent("notes")
            var acknowledged = [Int](repeating: 0, count: Self.keys)
            var leftovers = 0
            for round in 0..<runs(8, slow: 160) {
                try Data().write(to: notes)
                let first = (acknowledged.max() ?? 0) + 1
                await #expect(processExitsWith: .signal(SIGKILL)) {
                    [place = directory.place as URL, notes = notes as URL, first = first as Int, round = round as Int] in
                    let records = try Self.folderOfRecords(place)
                    let log = open(notes.path, O_WRONLY | O_APPEND)
                    #expect(log >= 0)
                    await withTaskGroup(of: Void.self) { group in
                        for key in 0..<Self.keys {
                            group.addTask {
                                for version in first... {
                                    let payload = sampleBytes("\(key)", version: version, count: Self.count(key, version))
                                    guard (try? await records.write("\(key)", payload, info: [UInt8(key)])) != nil else { return }
                                    let line = Array("\(key) \(version)\n".utf8)
                                    _ = line.withUnsafeBytes { write(log, $0.baseAddress, $0.count) }
                                    if version == first, key == 0 { Self.killSelf(after: round &* 7_919 % 40_000) }
                                }
                            }
                        }
                    }
                }
                for line in try String(contentsOf: notes, encoding: .utf8).split(separator: "\n") {
                    let numbers = line.split(separator: " ").compactMap { Int($0) }
                    acknowledged[numbers[0]] = max(acknowledged[numbers[0]], numbers[1])
                }
                leftovers += directory.files(below: "writing").count
                let records = try Self.folderOfRecords(directory.place)
                await records.settle()
                #expect(directory.files(below: "writing").isEmpty, "round \(round)")
                for key in 0..<Self.keys where acknowledged[key] > 0 {
                    let found = try #require(await records.read(RecordKey("\(key)")), "round \(round), key \(key): lost")
                    #expect(found.info == [UInt8(key)])
                    // A version that was written but not yet acknowledged may be present, too.
                    let version = try #require(
                        [acknowledged[key], acknowledged[key] + 1, first].first { version in
                            found.payload == sampleBytes("\(key)", version: version, count: Self.count(key, version))
                        }, "round \(round), key \(key): not one of the possible versions")
                    #expect(version >= acknowledged[key])
                    acknowledged[key] = version
                }
            }
            #expect(acknowledged.contains { $0 > 0 })
            // Otherwise, no process was killed during a write.
            if isSlowRun { #expect(leftovers > 0) }
        }

        @Test func `a process that is killed during removeAll leaves each record complete or removed`() async throws {
            let records = try Self.folderOfRecords(directory.place)
            for round in 0..<(isSlowRun ? 50 : 3) {
                for key in 0..<200 { try await records.write("\(key)", sampleBytes("\(key)", version: round, count: 300)) }
                await #expect(processExitsWith: .signal(SIGKILL)) { [place = directory.place as URL, round = round as Int] in
                    let records = try Self.folderOfRecords(place)
                    Self.killSelf(after: round &* 977 % 5_000)
                    try await records.removeAll()
                    while true { pause() }
                }
                var kept = 0
                for key in 0..<200 {
                    guard let payload = await records.payload("\(key)") else { continue }
                    #expect(payload == sampleBytes("\(key)", version: round, count: 300))
                    kept += 1
                }
                #expect(kept == 0 || kept == 200, "\(kept)")
                let next = try Self.folderOfRecords(directory.place)
                await next.settle()
                #expect(directory.files(below: "trash").isEmpty)
            }
        }

        // MARK: Two processes

        @Test func `processes that share a directory stay within its limits and read only what one of them wrote`()
            async throws
        {
            let rounds = runs(600, slow: 12_000)
            async let first: Void = Self.share(directory.place, seed: 1, rounds: rounds)
            async let second: Void = Self.share(directory.place, seed: 2, rounds: rounds)
            _ = await (first, second)
            let records = try DiskRecords(
                directory.place, limits: DiskLimits(bytes: 200_000, entries: 1_000, recordBytes: 10_000))
            await records.settle()
            #expect(records.usage.bytes <= 200_000 && records.usage.bytes > 100_000, "\(records.usage)")
            #expect(directory.files(below: "writing").isEmpty)
        }

        private static func share(_ place: URL, seed: Int, rounds: Int) async {
            await #expect(processExitsWith: .success) { [place = place as URL, seed = seed as Int, rounds = rounds as Int] in
                let limits = DiskLimits(bytes: 200_000, entries: 1_000, recordBytes: 10_000)
                let records = try DiskRecords(place, limits: limits, noting: .zero)
                var random = SeededGenerator(seed: UInt64(seed))
                var hits = 0
                for version in 0..<rounds {
                    let key = Int.random(in: 0..<100, using: &random)
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0..<5:
                        guard let record = await records.read(RecordKey("\(key)")) else { continue }
                        let version = record.info.withUnsafeBytes { $0.number(at: 0) as Int }
                        #expect(record.payload == sampleBytes("\(key)", version: version, count: record.payload.count))
                        hits += 1
                    case 9:
                        try await records.update(RecordKey("\(key)")) { _ in .nothing }
                    default:
                        var info: [UInt8] = []
                        info.append(number: version)
                        let count = Int.random(in: 0..<8_000, using: &random)
                        try await records.write("\(key)", sampleBytes("\(key)", version: version, count: count), info: info)
                    }
                }
                #expect(hits > 0)
                await records.settle()
                exit(0)
            }
        }

        @Test func `processes that save variants of one key at the same time lose none`() async throws {
            for round in 0..<(isSlowRun ? 100 : 5) {
                async let first: Void = Self.saveVariants(directory.place, round, 0..<4)
                async let second: Void = Self.saveVariants(directory.place, round, 4..<8)
                _ = await (first, second)
                let store = try DiskCacheStore(directory: directory.place)
                let entries = await store.entries(for: StoredResponse.kept("https://example.com/\(round)").key)
                #expect(Set(entries.map { String(decoding: $0.response.body, as: UTF8.self) }) == Set((0..<8).map { "\($0)" }))
            }
        }

        private static func saveVariants(_ place: URL, _ round: Int, _ numbers: Range<Int>) async {
            let first = numbers.lowerBound
            await #expect(processExitsWith: .success) { [place = place as URL, round = round as Int, first = first as Int] in
                let store = try DiskCacheStore(directory: place)
                for number in first..<(first + 4) {
                    let varying = [StoredResponse.VaryingField(name: "accept-language", value: "\(number)")]
                    try await store.save(CacheEntry(.kept("https://example.com/\(round)", varying: varying, body: "\(number)")))
                }
                exit(0)
            }
        }

        // MARK: Full disk, missing permission

        @Test func `a write that exceeds the file size limit is reported as a full disk, and the stored response is kept`()
            async throws
        {
            await #expect(processExitsWith: .success) { [place = directory.place as URL] in
                let store = try DiskCacheStore(directory: place)
                try await store.save(CacheEntry(.kept(body: "small")))
                signal(SIGXFSZ, SIG_IGN)
                var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
                #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
                do throws(CacheStoreError) {
                    try await store.save(CacheEntry(.kept(body: String(repeating: "x", count: 200_000))))
                    Issue.record("the save did not fail")
                } catch {
                    #expect(error.code == .diskFull && error.systemError == EFBIG, "\(error)")
                    #expect(error.description.contains(place.path) && error.message.contains(String(cString: strerror(EFBIG))))
                }
                #expect(await store.entries(for: StoredResponse.kept().key).map(\.response.body) == [Data("small".utf8)])
            }
            #expect(directory.files(below: "writing").isEmpty)
        }

        /// Mounts a file system of 256 KiB. After `use`, files that are already open remain usable, but nothing else can be
        /// reached.
        private static func withSmallDisk<Value>(at place: URL, _ use: () throws -> Value) rethrows -> Value? {
            guard mkdir(place.path, 0o700) == 0, mount("tmpfs", place.path, "tmpfs", 0, "size=256k,mode=700") == 0 else {
                return nil
            }
            defer { umount2(place.path, Int32(MNT_DETACH)) }
            return try use()
        }

        private static var canMount: Bool {
            guard let directory = try? CacheDirectory() else { return false }
            return withSmallDisk(at: directory.place) { true } ?? false
        }

        @Test(.needs("to mount a file system", canMount, run: "sudo swift test --filter DiskExitTests"))
        func `a full disk is reported as an error, stored records remain readable, and a removal makes room for writes`()
            async throws
        {
            await #expect(processExitsWith: .success) { [place = directory.place as URL] in
                let records = try #require(try Self.withSmallDisk(at: place) { try Self.folderOfRecords(place) })
                var kept: [Int] = []
                var failure: CacheStoreError?
                for key in 0..<1_000 where failure == nil {
                    do {
                        try await records.write("\(key)", sampleBytes("\(key)", version: 0, count: 10_000))
                        kept.append(key)
                    } catch {
                        failure = error as? CacheStoreError
                    }
                }
                #expect(
                    failure?.code == .diskFull && failure?.systemError == ENOSPC && failure?.path == place.path,
                    "\(failure as Any)")
                #expect(!kept.isEmpty)
                for key in kept { #expect(await records.payload("\(key)") == sampleBytes("\(key)", version: 0, count: 10_000)) }
                let writing = FileDescriptor.open("writing", in: records.folder.descriptor, O_RDONLY | O_DIRECTORY)
                var leftovers = 0
                let isRead = writing?.forEachName { _ in
                    leftovers += 1
                    return true
                }
                #expect(isRead == true && leftovers == 0)
                try await records.update(RecordKey("\(kept[0])")) { _ in .nothing }
                try await records.write("new", sampleBytes("new", version: 0, count: 10_000))
                #expect(await records.payload("new") != nil)
            }
        }

        @Test func `a directory without write permission is an error, and one without read permission is a miss`() async throws {
            let store = try DiskCacheStore(directory: directory.place)
            try await store.save(CacheEntry(.kept()))
            if geteuid() == 0 {
                for path in try FileManager.default.subpathsOfDirectory(atPath: directory.url.path) {
                    chown(directory.url.appendingPathComponent(path).path, 65534, 65534)
                }
                chmod(directory.url.path, 0o755)
            }
            let shard = directory.file(of: StoredVariants.recordKey(StoredResponse.kept().key)).deletingLastPathComponent()
            chmod(directory.place.appendingPathComponent("writing").path, 0o500)
            await #expect(processExitsWith: .success) { [place = directory.place as URL, shard = shard as URL] in
                // Root can write to every directory.
                if geteuid() == 0 { #expect(seteuid(65534) == 0) }
                let store = try DiskCacheStore(directory: place)
                #expect(await store.entries(for: StoredResponse.kept().key).count == 1)
                do throws(CacheStoreError) {
                    try await store.save(CacheEntry(.kept(body: "new")))
                    Issue.record("the save did not fail")
                } catch {
                    #expect(error.code == .noPermission && error.systemError == EACCES, "\(error)")
                }
                chmod(shard.path, 0)
                #expect(await store.entries(for: StoredResponse.kept().key).isEmpty)
                await #expect(throws: CacheStoreError.self) { try await store.remove(.key(StoredResponse.kept().key)) }
                chmod(shard.path, 0o700)
            }
            chmod(directory.place.appendingPathComponent("writing").path, 0o700)
        }

        // MARK: Suspended processes

        @Test func `a suspended process that holds a lock does not block other processes for long`() async throws {
            let records = try Self.folderOfRecords(directory.place)
            try await records.write("key", Data("old".utf8))
            let shard = directory.file(of: RecordKey("key")).deletingLastPathComponent()
            let descriptor = open(shard.path, O_RDONLY)
            defer { close(descriptor) }
            #expect(flock(descriptor, LOCK_EX) == 0)
            try await records.write("key", Data("new".utf8))
            #expect(await records.payload("key") == Data("new".utf8))
            await #expect(throws: CacheStoreError.self) { try await records.update(RecordKey("key")) { _ in .nothing } }
            #expect(flock(descriptor, LOCK_UN) == 0)
            try await records.update(RecordKey("key")) { _ in .nothing }
            #expect(await records.payload("key") == nil)
        }
    }
#endif
