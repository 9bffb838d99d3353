package main

import (
	"context"
	"crypto/rand"
	"net/http"

	"clients/application"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

func build(base string, told application.Told) (http.Handler, error) {
	provider, err := oidc.NewProvider(context.Background(), told.Issuer)
	if err != nil {
		return nil, err
	}
	configuration := oauth2.Config{
		ClientID:     told.ClientID,
		ClientSecret: told.ClientSecret,
		RedirectURL:  base + "/callback",
		Endpoint:     provider.Endpoint(),
		Scopes:       told.Said["Scopes"],
	}
	verifier := provider.Verifier(&oidc.Config{ClientID: told.ClientID})
	state, nonce := rand.Text(), rand.Text()
	routes := http.NewServeMux()
	routes.HandleFunc("/login", func(response http.ResponseWriter, request *http.Request) {
		http.Redirect(response, request, configuration.AuthCodeURL(state, oidc.Nonce(nonce)), http.StatusFound)
	})
	routes.HandleFunc("/callback", func(response http.ResponseWriter, request *http.Request) {
		if request.URL.Query().Get("state") != state {
			http.Error(response, "another state", http.StatusBadRequest)
			return
		}
		token, err := configuration.Exchange(request.Context(), request.URL.Query().Get("code"))
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		raw, _ := token.Extra("id_token").(string)
		verified, err := verifier.Verify(request.Context(), raw)
		if err == nil && verified.Nonce != nonce {
			http.Error(response, "another nonce", http.StatusBadRequest)
			return
		}
		var claims struct{ Name, Email string }
		if err == nil {
			err = verified.Claims(&claims)
		}
		if err != nil {
			http.Error(response, err.Error(), http.StatusInternalServerError)
			return
		}
		application.Greet(response, claims.Name, claims.Email)
	})
	return routes, nil
}

func main() { application.Serve(build) }
