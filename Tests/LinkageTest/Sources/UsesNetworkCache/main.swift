import NetworkCache

print(CacheControl(parsing: "max-age=60, private"))
