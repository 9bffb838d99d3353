module tools

go 1.26.0

tool github.com/dexidp/dex/cmd/dex

require github.com/dexidp/dex v0.0.0-20260303133905-11d2eeb52b42 // v2.45.1
