package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"

	"clients/application"

	"github.com/coreos/go-oidc/v3/oidc"
)

// credential is the output of kubelogin for kubectl.
type credential struct {
	Status struct{ Token string }
}

var visit = regexp.MustCompile(`Please visit the following URL in your browser: (\S+)`)

func build(base string, told application.Told) (http.Handler, error) {
	// A free port, the test's own browser, no cache, and a final page.
	command := application.Tool(append([]string{"get-token", "--listen-address=127.0.0.1:0", "--skip-open-browser",
		"--token-cache-storage=none", "--open-url-after-authentication=" + base + "/logged-in",
		"--oidc-issuer-url=" + told.Issuer, "--oidc-client-id=" + told.ClientID,
		"--oidc-client-secret=" + told.ClientSecret, "--grant-type=authcode"}, told.Flags()...)...)
	says, speaks := io.Pipe()
	command.Stderr = io.MultiWriter(os.Stderr, speaks)
	hands, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := command.Start(); err != nil {
		return nil, err
	}
	pages := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(says)
		for lines.Scan() {
			if found := visit.FindStringSubmatch(lines.Text()); found != nil {
				pages <- found[1]
			}
		}
	}()
	routes := http.NewServeMux()
	routes.HandleFunc("/login", func(response http.ResponseWriter, request *http.Request) {
		http.Redirect(response, request, <-pages, http.StatusFound)
	})
	routes.HandleFunc("/logged-in", func(response http.ResponseWriter, request *http.Request) {
		var handed credential
		err := json.NewDecoder(hands).Decode(&handed)
		var claims person
		if err == nil {
			claims, err = claimsOf(request.Context(), told, handed.Status.Token)
		}
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		application.Greet(response, claims.Name, claims.Email)
	})
	return routes, nil
}

type person struct{ Name, Email string }

// claimsOf verifies a token with the library that the API server of a cluster uses.
func claimsOf(ctx context.Context, told application.Told, token string) (claims person, err error) {
	provider, err := oidc.NewProvider(ctx, told.Issuer)
	if err != nil {
		return claims, err
	}
	verified, err := provider.Verifier(&oidc.Config{ClientID: told.ClientID}).Verify(ctx, token)
	if err != nil {
		return claims, err
	}
	return claims, verified.Claims(&claims)
}

func main() { application.Serve(build) }
