import DataTransferCombine

print("DataTransferCombine")
