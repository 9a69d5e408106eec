#if canImport(Darwin)
    import Darwin

    /// Renames a file unless the new name exists.
    ///
    /// - Returns: The system's error number; `nil` on success.
    func renameExclusively(_ old: String, _ new: String) -> Int32? {
        renamex_np(old, new, UInt32(RENAME_EXCL)) == 0 ? nil : errno
    }
#endif
