#if canImport(Darwin)
    import Darwin

    /// Renames unless there is something of the new name.
    ///
    /// - Returns: The error's number.
    func renameExclusively(_ old: String, _ new: String) -> Int32? {
        renamex_np(old, new, UInt32(RENAME_EXCL)) == 0 ? nil : errno
    }
#endif
