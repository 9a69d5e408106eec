import Foundation
import NetworkSupport

extension RecordFolder {
    /// The change in size and number of records that a call has made.
    struct Change: Equatable, Sendable {
        var bytes = 0
        var count = 0
    }

    /// The replacement for a record.
    enum Replacement: Sendable {
        case record(info: [UInt8], payload: Data)
        case nothing
        /// The record remains unchanged.
        case same
    }

    /// Replaces the record of a key by one that is calculated from it. Concurrent changes by other processes are not lost.
    ///
    /// After the method returns, the new record outlives this process. If it throws, the old record is unchanged and no temporary
    /// file remains.
    ///
    /// - Parameters:
    ///   - maximumBytes: The maximum size of the existing file. A larger one is treated as missing. With 0, the existing record
    ///     is not read.
    ///   - change: Returns the replacement for the existing record, which is `nil` if there is none for this key. Called again if
    ///     another process has changed the record concurrently.
    /// - Throws: ``CacheStoreError`` if the record cannot be replaced, or an error of `change`.
    func update(
        _ key: RecordKey, maximumBytes: Int, now: FileTime, _ change: (DiskRecord?) throws(CacheStoreError) -> Replacement
    ) throws(CacheStoreError) -> Change {
        let name = RecordName(key)
        var failure = CacheStoreError(.other, "the entry was changed concurrently too many times", path: path)
        for attempt in 0..<50 {
            do throws(CacheStoreError) {
                if let change = try updateOnce(key, name, maximumBytes: maximumBytes, now: now, change) { return change }
            } catch {
                // The directory or a folder in it was removed.
                guard error.systemError == ENOENT, attempt < 3 else { throw error }
                failure = error
                try reopen()
            }
        }
        throw failure
    }

    /// Writes a record, replacing an existing one, with the guarantees of ``update(_:maximumBytes:now:_:)``.
    func write(_ key: RecordKey, info: [UInt8], payload: Data, now: FileTime) throws(CacheStoreError) -> Change {
        try update(key, maximumBytes: 0, now: now) { _ in .record(info: info, payload: payload) }
    }

    /// - Returns: The change, or `nil` if the record was changed concurrently.
    private func updateOnce(
        _ key: RecordKey, _ name: RecordName, maximumBytes: Int, now: FileTime,
        _ change: (DiskRecord?) throws(CacheStoreError) -> Replacement
    ) throws(CacheStoreError) -> Change? {
        // While the old file is open, no other file has its inode number. With a limit of 0, the old file is not needed.
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
                throw CacheStoreError(.tooLarge, "the key or the metadata of the entry has more than \(limit) bytes")
            }
            return try replace(name, DiskRecord(key: key.bytes, info: info, payload: payload), now: now) { current in
                maximumBytes == 0 || current?.identity == old?.status.identity
            }
        }
    }

    /// Opens the existing file of a record, or returns `nil` if there is none.
    ///
    /// - Throws: ``CacheStoreError`` if there may be a file that cannot be opened, because replacing it could lose its contents.
    private func openOld(_ name: RecordName) throws(CacheStoreError) -> (file: FileDescriptor, status: RecordStatus)? {
        errno = 0
        if let old = open(name) { return old }
        switch errno {
        // There is nothing, or it is not a regular file.
        case 0, ENOENT, ELOOP, ENOTDIR, ENXIO: return nil
        default: throw CacheStoreError("an entry cannot be opened", path: path + "/" + name.file, .last)
        }
    }

    private func replace(
        _ name: RecordName, _ record: DiskRecord, now: FileTime, if isExpected: (RecordStatus?) -> Bool
    ) throws(CacheStoreError) -> Change? {
        let new = try newFile()
        let file = new.descriptor
        let isWritten =
            record.encodedHead().withUnsafeBytes { file.write($0) } && record.payload.withUnsafeBytes { file.write($0) }
        guard isWritten else { throw CacheStoreError("an entry cannot be written", path: path, .last) }
        file.setTimes(now)
        guard let shard = shard(name.shard, makes: true) else {
            throw CacheStoreError("the folder of the entry cannot be opened", path: path, .last)
        }
        // Continue even without the lock: a process that holds it for so long is not running, and so does not change anything
        // now.
        _ = lock(shard)
        let current = shard.status(of: name.file).flatMap { RecordStatus(name, $0) }
        guard isExpected(current) else { return nil }
        guard new.rename(to: name.file, in: shard) else {
            throw CacheStoreError("an entry cannot be renamed", path: path + "/" + name.file, .last)
        }
        return Change(bytes: record.byteCount - (current?.bytes ?? 0), count: current == nil ? 1 : 0)
    }

    /// Creates an empty temporary file, locked so that other processes do not remove it as left behind.
    private func newFile() throws(CacheStoreError) -> NewFile {
        let root = descriptor
        for _ in 0..<100 {
            guard let file = NewFile(Self.writing + "/" + newName(), in: root) else {
                if errno == EEXIST { continue }
                throw CacheStoreError("a file cannot be created", path: path, .last)
            }
            // Another process may have removed the file before it was locked.
            if file.descriptor.lock(), file.descriptor.status?.st_nlink == 1 { return file }
        }
        throw CacheStoreError(.other, "new files in the directory are removed immediately", path: path)
    }
}

extension RecordFolder {
    /// Removes a record.
    ///
    /// - Parameter isSelected: Returns whether the existing file is the one to remove. Called while the lock prevents its
    ///   replacement.
    /// - Returns: The change, which is empty if there is no record or `isSelected` returns `false`.
    /// - Throws: ``CacheStoreError`` if the record exists but cannot be removed.
    func remove(_ name: RecordName, if isSelected: (RecordStatus) -> Bool = { _ in true }) throws(CacheStoreError) -> Change {
        guard let shard = shard(name.shard) else {
            if errno == ENOENT { return Change() }
            throw CacheStoreError("the folder of the entry cannot be opened", path: path, .last)
        }
        let isLocked = lock(shard)
        guard let found = shard.status(of: name.file) else { return Change() }
        let status = RecordStatus(name, found)
        if let status, !isSelected(status) { return Change() }
        guard isLocked else {
            throw CacheStoreError(
                .other, "another process holds the lock of the folder of the entry and does not release it", path: path)
        }
        guard unlinkat(shard.number, name.file, 0) == 0 else {
            if errno == ENOENT { return Change() }
            throw CacheStoreError("an entry cannot be removed", path: path + "/" + name.file, .last)
        }
        return status.map { Change(bytes: -$0.bytes, count: -1) } ?? Change()
    }

    /// Calls a closure with the status of each record in a shard.
    func forEachRecord(inShard number: Int, _ body: (RecordStatus) -> Void) {
        guard let shard = shard(number) else { return }
        _ = shard.forEachName { file in
            guard let name = RecordName(shard: number, file: file) else { return true }
            var status = stat()
            // The file may have been removed concurrently.
            if fstatat(shard.number, file, &status, AT_SYMLINK_NOFOLLOW) == 0, let status = RecordStatus(name, status) {
                body(status)
            }
            return true
        }
    }

    /// Makes all records unavailable at once, and then removes their files.
    ///
    /// - Throws: ``CacheStoreError`` if the records are still available, or if their files could not be removed.
    func removeAll() throws(CacheStoreError) {
        let root = descriptor
        let place = Self.trash + "/" + newName()
        guard renameat(root.number, Self.records, root.number, place) == 0 else {
            if errno == ENOENT { return }
            throw CacheStoreError("the entries cannot be removed", path: path, .last)
        }
        _ = mkdirat(root.number, Self.records, 0o700)
        guard Self.removeTree(place, in: root, depth: 3) else {
            throw CacheStoreError("the entries are no longer used, but cannot be removed", path: path + "/" + place, .last)
        }
    }

    /// Removes the temporary files and removed records that killed processes have left behind.
    func removeLeftovers() {
        let root = descriptor
        if let writing = FileDescriptor.open(Self.writing, in: root, O_RDONLY | O_DIRECTORY) {
            _ = writing.forEachName { name in
                let name = String(cString: name)
                // A file that is being written is locked by its writer.
                guard let file = FileDescriptor.open(name, in: writing, O_RDONLY) else { return true }
                if file.lock() { unlinkat(writing.number, name, 0) }
                return true
            }
        }
        _ = FileDescriptor.open(Self.trash, in: root, O_RDONLY | O_DIRECTORY)?.forEachName { name in
            _ = Self.removeTree(Self.trash + "/" + String(cString: name), in: root, depth: 3)
            return true
        }
    }

    /// Removes a file, or a folder with its contents.
    ///
    /// - Parameter depth: The maximum number of nested folders. Deeper ones were not created by a cache, and are not removed.
    private static func removeTree(_ path: String, in directory: FileDescriptor, depth: Int) -> Bool {
        if unlinkat(directory.number, path, 0) == 0 || errno == ENOENT { return true }
        // For a folder, Linux reports `EISDIR` and POSIX specifies `EPERM`.
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
