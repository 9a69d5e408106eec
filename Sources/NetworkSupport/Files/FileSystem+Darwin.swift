#if canImport(Darwin)
    import Darwin

    extension stat {
        /// The time of the last modification.
        package var modification: FileTime { FileTime(st_mtimespec) }
    }

    /// Waits until a file is on the disk, and not only in the cache of the disk, where that is supported.
    ///
    /// - Returns: 0, or another number with `errno` set.
    func synchronizeToDisk(_ descriptor: Int32) -> Int32 {
        fcntl(descriptor, F_FULLFSYNC) == 0 ? 0 : fsync(descriptor)
    }

    /// Renames a file unless the new name exists.
    ///
    /// - Returns: The system's error number; `nil` on success.
    package func renameExclusively(_ old: String, _ new: String) -> Int32? {
        renamex_np(old, new, UInt32(RENAME_EXCL)) == 0 ? nil : errno
    }
#endif
