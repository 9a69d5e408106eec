import Foundation

let arguments = Array(CommandLine.arguments.dropFirst())
guard (1...2).contains(arguments.count) else {
    FileHandle.standardError.write(Data("usage: fetch URL [FOLDER]\n".utf8))
    exit(64)
}
