import NetworkSupport

/// Finds the cells of tables of comma-separated values (RFC 4180) whose column has a secret name, in linear time.
///
/// A table begins with a line of at least two names, separated by commas, semicolons, tabs or bars, and ends at a line without a separator.
enum CSVColumns {
    private static let separators: [UInt8] = [.comma, .semicolon, .tab, UInt8(ascii: "|")]
    private static let longestName = 64
    private static let maximumColumns = 1024

    static func hidden(in bytes: [UInt8], _ redaction: Redaction) -> [Range<Int>] {
        guard bytes.contains(.lineFeed) else { return [] }
        var hidden: [Range<Int>] = []
        var index = 0
        while index < bytes.count {
            let end = bytes[index...].firstIndex(of: .lineFeed) ?? bytes.count
            guard let (separator, columns) = secretColumns(of: bytes[index..<end], redaction) else {
                index = end + 1
                continue
            }
            index = end + 1
            while let row = row(in: bytes, from: index, separator), row.cells.count > 1 || row.end > bytes.count {
                for column in columns where column < row.cells.count && !row.cells[column].isEmpty {
                    hidden.append(row.cells[column])
                }
                index = row.end
            }
        }
        return hidden
    }

    /// Returns the separator of a header line and the columns with secret names; `nil` if the line is no header, or has no such column.
    private static func secretColumns(
        of line: ArraySlice<UInt8>, _ redaction: Redaction
    ) -> (separator: UInt8, columns: [Int])? {
        guard let separator = line.first(where: separators.contains) else { return nil }
        var columns: [Int] = []
        for (column, cell) in line.split(separator: separator, omittingEmptySubsequences: false).enumerated() {
            let name = Array(cell.trimmed).filter { $0 != .quote && $0 != .apostrophe && $0 != .carriageReturn }
            guard column < maximumColumns, (1...longestName).contains(name.count), name.allSatisfy(isInName) else { return nil }
            if redaction.isSecret(member: name.text) { columns.append(column) }
        }
        return columns.isEmpty ? nil : (separator, columns)
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        byte.isNameLetter || byte == .underscore || byte == .hyphen || byte == .dot || byte == .space
    }

    /// Returns the cells of the row that begins at an index, without their quotes, and the start of the next row.
    private static func row(in bytes: [UInt8], from start: Int, _ separator: UInt8) -> (cells: [Range<Int>], end: Int)? {
        guard start < bytes.count else { return nil }
        var cells: [Range<Int>] = []
        var index = start
        while true {
            var cell = index
            if index < bytes.count, bytes[index] == .quote {
                cell = index + 1
                index = cell
                // A quote in the cell is written twice.
                while index < bytes.count, bytes[index] != .quote || (index + 1 < bytes.count && bytes[index + 1] == .quote) {
                    index += bytes[index] == .quote ? 2 : 1
                }
                index = min(index, bytes.count)
            }
            while index < bytes.count, bytes[index] != separator, bytes[index] != .lineFeed { index += 1 }
            var end = index
            while end > cell, bytes[end - 1] == .quote || bytes[end - 1] == .carriageReturn { end -= 1 }
            cells.append(cell..<end)
            guard index < bytes.count, bytes[index] == separator else { return (cells, index + 1) }
            index += 1
        }
    }
}
