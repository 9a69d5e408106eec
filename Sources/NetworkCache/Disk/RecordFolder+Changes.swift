import Foundation

extension RecordFolder {
    /// By how much a call has changed what there is.
    struct Change: Equatable, Sendable {
        var bytes = 0
        var count = 0
    }

    /// What takes the place of a record.
    enum Replacement: Sendable {
        case record(info: [UInt8], payload: Data)
        case nothing
        /// It stays.
        case same
    }

    /// Puts something in the place of what there was, which may be a change of it: what another process does meanwhile is not
    /// lost. When it returns, what was written outlives this process; when it throws, what there was is still there, and nothing
    /// is left over.
    ///
    /// - Parameters:
    ///   - maximumBytes: A longer file than this counts as none.
    ///   - change: What to make of what there is; `nil` where there is nothing of this key. Called again where another was
    ///     faster.
    func update(
        _ key: RecordKey, maximumBytes: Int, now: FileTime, _ change: (DiskRecord?) throws(CacheStoreError) -> Replacement
    ) throws(CacheStoreError) -> Change {
        let name = RecordName(key)
        var failure = CacheStoreError(.other, "others change the same entry again and again", path: path)
        for attempt in 0..<50 {
            do throws(CacheStoreError) {
                if let change = try updateOnce(key, name, maximumBytes: maximumBytes, now: now, change) { return change }
            } catch {
                // Somebody has removed the directory, or a folder in it.
                guard error.systemError == ENOENT, attempt < 3 else { throw error }
                failure = error
                try reopen()
            }
        }
        throw failure
    }

    /// Puts a record in the place of what there was, as ``update(_:maximumBytes:now:_:)``.
    func write(_ key: RecordKey, info: [UInt8], payload: Data, now: FileTime) throws(CacheStoreError) -> Change {
        try update(key, maximumBytes: 0, now: now) { _ in .record(info: info, payload: payload) }
    }

    /// - Returns: `nil` where another has changed it meanwhile.
    private func updateOnce(
        _ key: RecordKey, _ name: RecordName, maximumBytes: Int, now: FileTime,
        _ change: (DiskRecord?) throws(CacheStoreError) -> Replacement
    ) throws(CacheStoreError) -> Change? {
        // As long as it is open, no other file is taken for it. Without a limit nobody looks at it.
        let old = maximumBytes > 0 ? try openOld(name) : nil
        let found = old.flatMap { try? read($0.file, $0.status, maximumBytes: maximumBytes).get() }
        switch try change(found?.key == key.bytes ? found : nil) {
        case .same: return Change()
        case .nothing:
            guard let old else { return Change() }
            let change = try remove(name) { $0.identity == old.status.identity }
            return change.count == 0 && status(of: name) != nil ? nil : change
        case .record(let info, let payload):
            let limit = DiskRecord.maximumHeadPartBytes
            guard key.bytes.count <= limit, info.count <= limit else {
                throw CacheStoreError(.tooLarge, "the key or what is noted of the entry has more than \(limit) bytes")
            }
            return try replace(name, DiskRecord(key: key.bytes, info: info, payload: payload), now: now) { current in
                maximumBytes == 0 || current?.identity == old?.status.identity
            }
        }
    }

    /// - Throws: ``CacheStoreError`` where there may be one that cannot be opened: then nobody knows what would be lost.
    private func openOld(_ name: RecordName) throws(CacheStoreError) -> (file: FileDescriptor, status: RecordStatus)? {
        errno = 0
        if let old = open(name) { return old }
        switch errno {
        // Nothing there, or something that is no file.
        case 0, ENOENT, ELOOP, ENOTDIR, ENXIO: return nil
        default: throw CacheStoreError("an entry cannot be opened", path: path + "/" + name.file, errno: errno)
        }
    }

    private func replace(
        _ name: RecordName, _ record: DiskRecord, now: FileTime, if isExpected: (RecordStatus?) -> Bool
    ) throws(CacheStoreError) -> Change? {
        let (temporary, file, root) = try newFile()
        var isRenamed = false
        defer { if !isRenamed { unlinkat(root.number, temporary, 0) } }
        let isWritten =
            record.encodedHead().withUnsafeBytes { file.write($0) } && record.payload.withUnsafeBytes { file.write($0) }
        guard isWritten else { throw CacheStoreError("an entry cannot be written", path: path, errno: errno) }
        file.setTimes(now)
        guard let shard = shard(name.shard, makes: true) else {
            throw CacheStoreError("its folder cannot be opened", path: path, errno: errno)
        }
        // Without the lock too: whoever has it does not run, and so changes nothing now.
        _ = lock(shard)
        let current = shard.status(of: name.file).flatMap { RecordStatus(name, $0) }
        guard isExpected(current) else { return nil }
        guard renameat(root.number, temporary, shard.number, name.file) == 0 else {
            throw CacheStoreError("an entry cannot be renamed", path: path + "/" + name.file, errno: errno)
        }
        isRenamed = true
        return Change(bytes: record.byteCount - (current?.bytes ?? 0), count: current == nil ? 1 : 0)
    }

    /// An empty file that no other process takes for a left-over one.
    private func newFile() throws(CacheStoreError) -> (path: String, file: FileDescriptor, root: FileDescriptor) {
        let root = descriptor
        for _ in 0..<100 {
            let temporary = Self.writing + "/" + newName()
            guard let file = FileDescriptor.open(temporary, in: root, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600) else {
                if errno == EEXIST { continue }
                throw CacheStoreError("a file cannot be made", path: path, errno: errno)
            }
            // Another process may have found it before it was locked, and have removed it.
            if flock(file.number, LOCK_EX | LOCK_NB) == 0, file.status?.st_nlink == 1 { return (temporary, file, root) }
        }
        throw CacheStoreError(.other, "files in it vanish at once", path: path)
    }
}

extension RecordFolder {
    /// Removes a record.
    ///
    /// - Parameter isMeant: Asked whether it is the one, once nobody can replace it any more.
    /// - Throws: ``CacheStoreError`` where it is there and cannot be removed. What is not there is no error.
    func remove(_ name: RecordName, if isMeant: (RecordStatus) -> Bool = { _ in true }) throws(CacheStoreError) -> Change {
        guard let shard = shard(name.shard) else {
            if errno == ENOENT { return Change() }
            throw CacheStoreError("its folder cannot be opened", path: path, errno: errno)
        }
        let isLocked = lock(shard)
        guard let found = shard.status(of: name.file) else { return Change() }
        let status = RecordStatus(name, found)
        if let status, !isMeant(status) { return Change() }
        guard isLocked else {
            throw CacheStoreError(.other, "another process has locked its folder and does not run", path: path)
        }
        guard unlinkat(shard.number, name.file, 0) == 0 else {
            if errno == ENOENT { return Change() }
            throw CacheStoreError("an entry cannot be removed", path: path + "/" + name.file, errno: errno)
        }
        return status.map { Change(bytes: -$0.bytes, count: -1) } ?? Change()
    }

    /// Calls with each record of a shard.
    func forEachRecord(inShard number: Int, _ body: (RecordStatus) -> Void) {
        guard let shard = shard(number) else { return }
        _ = shard.forEachName { file in
            guard let name = RecordName(shard: number, file: file) else { return true }
            var status = stat()
            // It may have gone meanwhile.
            if fstatat(shard.number, file, &status, AT_SYMLINK_NOFOLLOW) == 0, let status = RecordStatus(name, status) {
                body(status)
            }
            return true
        }
    }

    /// Makes all records unreachable at once, and then removes them.
    ///
    /// - Throws: ``CacheStoreError`` where they are still reachable, or still there.
    func removeAll() throws(CacheStoreError) {
        let root = descriptor
        let place = Self.trash + "/" + newName()
        guard renameat(root.number, Self.records, root.number, place) == 0 else {
            if errno == ENOENT { return }
            throw CacheStoreError("the entries cannot be removed", path: path, errno: errno)
        }
        _ = mkdirat(root.number, Self.records, 0o700)
        guard Self.removeTree(place, in: root, depth: 3) else {
            throw CacheStoreError("the entries are out of use, but cannot be removed", path: path + "/" + place, errno: errno)
        }
    }

    /// Removes what processes that were killed have left behind.
    func removeLeftovers() {
        let root = descriptor
        if let writing = FileDescriptor.open(Self.writing, in: root, O_RDONLY | O_DIRECTORY) {
            _ = writing.forEachName { name in
                let name = String(cString: name)
                // Whoever writes to it has locked it.
                guard let file = FileDescriptor.open(name, in: writing, O_RDONLY) else { return true }
                if flock(file.number, LOCK_EX | LOCK_NB) == 0 { unlinkat(writing.number, name, 0) }
                return true
            }
        }
        _ = FileDescriptor.open(Self.trash, in: root, O_RDONLY | O_DIRECTORY)?.forEachName { name in
            _ = Self.removeTree(Self.trash + "/" + String(cString: name), in: root, depth: 3)
            return true
        }
    }

    /// - Parameter depth: How many folders may lie in each other; deeper ones are none of ours.
    private static func removeTree(_ path: String, in directory: FileDescriptor, depth: Int) -> Bool {
        if unlinkat(directory.number, path, 0) == 0 || errno == ENOENT { return true }
        // Of a folder Linux says the one and POSIX the other.
        guard errno == EISDIR || errno == EPERM, depth > 0,
            let folder = FileDescriptor.open(path, in: directory, O_RDONLY | O_DIRECTORY)
        else { return false }
        var isEmpty = true
        _ = folder.forEachName { name in
            isEmpty = removeTree(String(cString: name), in: folder, depth: depth - 1) && isEmpty
            return true
        }
        return unlinkat(directory.number, path, AT_REMOVEDIR) == 0 || errno == ENOENT
    }
}
