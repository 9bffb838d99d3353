package main

import (
	"crypto/rand"
	"net/http"

	"clients/application"
)

// The upstream of the proxy shows the user of the headers.
func build(base string, told application.Told) (http.Handler, error) {
	address, err := application.FreeAddress()
	if err != nil {
		return nil, err
	}
	front := "http://" + address
	proxy := application.Tool(append(told.Flags(), "--http-address="+address, "--upstream="+base,
		"--cookie-secret="+rand.Text()[:16], "--provider=oidc", "--oidc-issuer-url="+told.Issuer,
		"--client-id="+told.ClientID, "--client-secret="+told.ClientSecret,
		"--redirect-url="+front+"/oauth2/callback")...)
	if err := application.StartUntil(proxy, front+"/ping"); err != nil {
		return nil, err
	}
	routes := http.NewServeMux()
	routes.Handle("/login", http.RedirectHandler(front, http.StatusFound))
	routes.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		told := request.Header.Get
		application.Greet(response, told("X-Forwarded-Preferred-Username"), told("X-Forwarded-Email"))
	})
	return routes, nil
}

func main() { application.Serve(build) }
