import DataTransfer
import Foundation
import NetworkSupport

/// The folder with the outcomes that no call has received yet, the bodies of uploads, and what continues interrupted downloads. All methods may
/// block, and are called one at a time.
///
/// The folder and its files are private (0700 and 0600). Each file is written under another name first.
struct BackgroundStore: Sendable {
    /// The age after which what no call has asked for is removed.
    static let maximumAge = Duration.seconds(30 * 86_400)
    /// The maximum size of what continues an interrupted download, in bytes.
    static let maximumResumptionBytes = 1 << 20

    private enum Suffix: String, CaseIterable {
        case outcome = ".outcome"
        case resumption = ".resumption"
        case body = ".body"
        case new = ".new"
    }

    let folder: URL

    /// Creates the folder if it does not exist.
    ///
    /// - Throws: ``FileFailure`` if it cannot be created, or is not private.
    func prepare() throws(FileFailure) {
        if let error = makePrivateFolder(folder.path) { throw FileFailure("cannot be created", url: folder, error) }
        guard let status = stat(of: folder.path), status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { throw FileFailure(.notWritable, "is not a folder that only this user can open", url: folder) }
    }

    // MARK: Outcomes

    /// Stores an outcome, in the place of an earlier one of the same transfer.
    func save(_ outcome: BackgroundOutcome) throws(FileFailure) {
        guard let json = try? JSONEncoder().encode(outcome) else {
            throw FileFailure(.other, "an outcome cannot be encoded", url: folder)
        }
        try write(json, name(of: outcome.task.id, .outcome))
    }

    /// Returns the stored outcome of a transfer; `nil` if there is no readable one.
    ///
    /// - Parameter maximumBodyBytes: The maximum size of the body in it.
    func outcome(of id: String, maximumBodyBytes: Int) -> BackgroundOutcome? {
        // Base64 needs 4 bytes for 3.
        let maximum = BackgroundOutcome.maximumBytesWithoutBody + maximumBodyBytes.clampedDouble
        guard let json = read(name(of: id, .outcome), maximumBytes: maximum),
            let outcome = try? JSONDecoder().decode(BackgroundOutcome.self, from: json),
            outcome.version == BackgroundOutcome.currentVersion, outcome.task.id == id
        else { return nil }
        return outcome
    }

    func removeOutcome(of id: String) {
        unlink(path(name(of: id, .outcome)))
    }

    /// Removes the outcome of a transfer, and what could continue it.
    func forget(_ id: String) {
        removeOutcome(of: id)
        unlink(path(name(of: id, .resumption)))
    }

    /// The names of the transfers with a stored outcome, sorted.
    func endedIDs(maximumBodyBytes: Int) -> [String] {
        files(.outcome).compactMap { file in
            let maximum = BackgroundOutcome.maximumBytesWithoutBody + maximumBodyBytes.clampedDouble
            guard let json = read(file, maximumBytes: maximum) else { return nil }
            return (try? JSONDecoder().decode(BackgroundOutcome.self, from: json))?.task.id
        }.sorted()
    }

    // MARK: Interrupted downloads

    /// Stores what continues an interrupted download. If it is too large or cannot be written, the next download begins anew.
    func save(resumption: Data, of task: BackgroundTask) {
        guard resumption.count <= Self.maximumResumptionBytes else { return }
        try? write(Data(task.text.utf8) + [0] + resumption, name(of: task.id, .resumption))
    }

    /// Removes and returns what continues a download; `nil` if it was another one.
    func takeResumption(of task: BackgroundTask) -> Data? {
        let name = name(of: task.id, .resumption)
        defer { unlink(path(name)) }
        guard let stored = read(name, maximumBytes: BackgroundTask.maximumBytes + Self.maximumResumptionBytes + 1),
            let end = stored.firstIndex(of: 0),
            let earlier = BackgroundTask(text: String(decoding: stored[..<end], as: UTF8.self)), earlier.isSame(as: task)
        else { return nil }
        return Data(stored[(end + 1)...])
    }

    // MARK: Bodies

    /// Creates the file of a body.
    func makeBody() throws(FileFailure) -> (name: String, file: NewFile) {
        let name = UUID().uuidString + Suffix.body.rawValue
        guard let file = NewFile(path(name + Suffix.new.rawValue)) else {
            throw FileFailure(.notWritable, "the file of a body cannot be created: \(SystemError.last.message)", url: folder)
        }
        return (name, file)
    }

    /// Gives the file of a complete body its name.
    ///
    /// - Returns: The location of the file.
    func keep(_ file: NewFile, name: String) throws(FileFailure) -> URL {
        guard file.rename(to: path(name)) else {
            throw FileFailure(.notWritable, "the file of a body cannot be renamed: \(SystemError.last.message)", url: folder)
        }
        return folder.appendingPathComponent(name)
    }

    func removeBody(_ name: String?) {
        if let name, name.hasSuffix(Suffix.body.rawValue), !name.contains("/") { unlink(path(name)) }
    }

    // MARK: Files

    /// Removes what is not needed any more: bodies without a transfer, files that were not completed, and what is too old.
    func sweep(keeping bodyNames: Set<String>) {
        for name in files(.body) where !bodyNames.contains(name) { unlink(path(name)) }
        for name in files(.new) { unlink(path(name)) }
        let oldest = FileTime.now.advanced(by: .zero - Self.maximumAge)
        for name in files(.outcome) + files(.resumption) {
            if let status = stat(of: path(name)), status.modification < oldest { unlink(path(name)) }
        }
    }

    private func files(_ suffix: Suffix) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(suffix.rawValue) }
    }

    /// The name of a file of a transfer. The caller's name may contain any characters.
    private func name(of id: String, _ suffix: Suffix) -> String {
        SHA256.digest(of: Array(id.utf8)).hexadecimal + suffix.rawValue
    }

    private func path(_ name: String) -> String { folder.path + "/" + name }

    private func write(_ data: Data, _ name: String) throws(FileFailure) {
        do throws(NewFile.Failure) {
            try NewFile.replace(path(name), with: data, through: path(name + Suffix.new.rawValue), waitsForDisk: true)
        } catch {
            throw FileFailure(.notWritable, "an outcome cannot be \(error.step): \(error.error.message)", url: folder)
        }
    }

    private func read(_ name: String, maximumBytes: Int) -> Data? {
        guard let file = FileDescriptor.open(path(name), O_RDONLY), let status = file.status, status.isRegular, status.isOnlyOurs,
            status.st_size <= maximumBytes
        else { return nil }
        var data = Data(count: Int(status.st_size))
        guard data.withUnsafeMutableBytes({ file.read(into: $0) }) == data.count else { return nil }
        return data
    }
}

extension Int {
    /// Twice the number, or the largest number.
    fileprivate var clampedDouble: Int { self > .max / 4 ? .max / 2 : 2 * self }
}
