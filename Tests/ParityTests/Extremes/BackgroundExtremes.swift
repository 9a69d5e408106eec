import BackgroundTransfers
import DataTransfer
import Foundation
import NetworkTransport
import TransferTestSupport

/// A background session of which each task ends at once.
private struct EndingSession: BackgroundSession {
    let center: BackgroundCenter

    func tasks() async -> [Int: BackgroundTask?] { [:] }

    func start(_ request: BackgroundRequest, _ task: BackgroundTask) -> Int {
        Task.detached {
            center.receive(.ended(BackgroundHead(status: 200, headers: [:]), nil, resumption: nil), number: 1, text: task.text)
        }
        return 1
    }

    func cancel(_ number: Int) {}
}

/// The calls of transfers in the background.
extension ExtremeCall {
    private static func makeTransfers(_ folder: URL, _ options: BackgroundOptions = BackgroundOptions()) -> BackgroundTransfers {
        let center = BackgroundCenter(
            identifier: "test", folder: folder.appendingPathComponent("records"), maximumBodyBytes: options.maximumBodyBytes)
        let transfers = BackgroundTransfers(
            center: center, configuration: APIConfiguration(baseURL: URL(string: "https://api.test/a")!), options: options)
        center.open(EndingSession(center: center))
        return transfers
    }

    static let background: [ExtremeCall] = [
        ExtremeCall(
            """
            BackgroundOptions.init(sendsCredentials:isDiscretionary:allowsCellularAccess:allowsExpensiveNetworkAccess:\
            allowsConstrainedNetworkAccess:startsApp:sharedContainerIdentifier:totalTimeout:maximumConnectionsPerHost:maximumBodyBytes:)
            """,
            "BackgroundTransfers.download(_:id:to:replaces:maximumBytes:progress:)",
            "BackgroundTransfers.upload(_:id:progress:)", "BackgroundTransfers.cancel(_:)"
        ) {
            let folder = try TemporaryFolder()
            func transfer(_ options: BackgroundOptions = BackgroundOptions(), id: String = "a", maximumBytes: Int64? = nil) async
            {
                let transfers = makeTransfers(folder.url, options)
                do {
                    describe(
                        try await transfers.download(
                            Endpoint<String>(path: "a"), id: id, to: folder.file("a"), maximumBytes: maximumBytes))
                } catch {
                    describe(error)
                }
                do {
                    let upload = Endpoint<String>(path: "a", method: .post, body: .text("x"), responseDecoder: .text)
                    describe(try await transfers.upload(upload, id: id))
                } catch {
                    describe(error)
                }
                await transfers.cancel(id)
                describe(await transfers.endedIDs())
                describe(options)
            }
            for text in Extreme.texts {
                await transfer(BackgroundOptions(sharedContainerIdentifier: text), id: text)
            }
            for number in Extreme.integers {
                await transfer(BackgroundOptions(maximumConnectionsPerHost: number))
                await transfer(BackgroundOptions(maximumBodyBytes: number))
            }
            for number in Extreme.wide { await transfer(maximumBytes: number) }
            for duration in Extreme.durations { await transfer(BackgroundOptions(totalTimeout: duration)) }
        }
    ]
}
