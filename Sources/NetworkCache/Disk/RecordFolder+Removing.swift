import Foundation

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
