import Endpoints

let configuration = try APIConfiguration("https://api.example.com/3")
let request = try Endpoint<String>(path: "movie/{id}", pathParameters: ["id": 7]).networkRequest(with: configuration)
print(request.url)
