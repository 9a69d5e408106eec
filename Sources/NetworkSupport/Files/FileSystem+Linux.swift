#if os(Linux)

    extension stat {
        /// The time of the last modification.
        package var modification: FileTime { FileTime(st_mtim) }
    }

    /// Waits until a file is on the disk.
    ///
    /// - Returns: 0, or another number with `errno` set.
    func synchronizeToDisk(_ descriptor: Int32) -> Int32 { fsync(descriptor) }

    /// Renames a file unless the new name exists.
    ///
    /// - Returns: The system's error number; `nil` on success.
    package func renameExclusively(_ old: String, _ new: String) -> Int32? {
        // renameat2(2) is looked up, because the headers declare it only with `_GNU_SOURCE`.
        typealias Function = @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32
        guard let symbol = dlsym(nil, "renameat2") else { return ENOSYS }
        let noReplace: UInt32 = 1
        return unsafeBitCast(symbol, to: Function.self)(AT_FDCWD, old, AT_FDCWD, new, noReplace) == 0 ? nil : errno
    }
#endif
