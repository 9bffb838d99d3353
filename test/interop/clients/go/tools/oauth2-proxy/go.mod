module tools

go 1.26.0

tool github.com/oauth2-proxy/oauth2-proxy/v7

require github.com/oauth2-proxy/oauth2-proxy/v7 v7.15.3
