import BackgroundTransfers

let options = BackgroundOptions(sendsCredentials: true)
print(options.maximumConnectionsPerHost)
