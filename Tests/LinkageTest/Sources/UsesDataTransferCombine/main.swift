import DataTransferCombine

print(Endpoint<Int>(path: "movie/7"))
