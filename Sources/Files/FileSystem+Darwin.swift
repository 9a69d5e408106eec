#if canImport(Darwin)
    import Darwin

    extension stat {
        /// The time of the last modification.
        package var modification: FileTime { FileTime(st_mtimespec) }
    }

    /// Renames a file unless the new name exists.
    ///
    /// - Returns: The system's error number; `nil` on success.
    package func renameExclusively(_ old: String, _ new: String) -> Int32? {
        renamex_np(old, new, UInt32(RENAME_EXCL)) == 0 ? nil : errno
    }
#endif
