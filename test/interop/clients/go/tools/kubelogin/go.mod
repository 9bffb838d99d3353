module tools

go 1.26.4

tool github.com/int128/kubelogin

require github.com/int128/kubelogin v1.36.3
