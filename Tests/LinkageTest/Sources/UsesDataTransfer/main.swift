import DataTransfer

let service = DefaultDataTransferService(configuration: try APIConfiguration("http://127.0.0.1:1"))
do {
    try await service.request(Endpoint<Void>(path: "refused"))
    print("received")
} catch {
    print(error.isConnectivity)
}
