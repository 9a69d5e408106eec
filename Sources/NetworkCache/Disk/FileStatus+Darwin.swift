#if canImport(Darwin)
    import Foundation

    extension stat {
        var modification: FileTime { FileTime(st_mtimespec) }
    }
#endif
