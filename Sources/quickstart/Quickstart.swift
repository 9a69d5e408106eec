import DataTransfer
import Foundation

/// `swift run quickstart`: a tour against a server in this process, or one request to any server.
@main
struct Quickstart {
    static func main() async {
        do {
            switch try QuickstartArguments(CommandLine.arguments.dropFirst()) {
            case .tour(let waterfall): try await Tour(waterfallFile: waterfall).run()
            case .single(let request): try await request.run()
            case .help: Terminal.say(QuickstartArguments.usage)
            }
        } catch let error as QuickstartArguments.Flaw {
            Terminal.complain("\(error.reason)\n\n\(QuickstartArguments.usage)")
            exit(2)
        } catch {
            Terminal.complain("\(error)")
            exit(1)
        }
    }
}
