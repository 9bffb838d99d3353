// Dex logs users in by one of its connectors, and the program go-oidc is a client of Dex.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"encoding/xml"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"clients/application"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	told, err := application.Hear()
	if err != nil {
		return err
	}
	address, err := application.FreeAddress()
	if err != nil {
		return err
	}
	issuer := "http://" + address
	kind := told.Said["type"][0]
	connector, err := connectors[kind](told, issuer+"/callback")
	if err != nil {
		return err
	}
	for name, words := range told.Said {
		if name != "type" {
			connector[name] = words[0]
		}
	}
	// Its examples use SQLite, which needs cgo. A public client may be at any local address.
	const clientID = "application"
	configuration, err := json.Marshal(map[string]any{
		"issuer":        issuer,
		"storage":       map[string]any{"type": "memory"},
		"web":           map[string]any{"http": address},
		"connectors":    []any{map[string]any{"type": kind, "id": kind, "name": "test-idp", "config": connector}},
		"staticClients": []any{map[string]any{"id": clientID, "name": "An application", "public": true}},
	})
	if err != nil {
		return err
	}
	dex := application.Tool("serve", "/dev/stdin")
	dex.Stdin = bytes.NewReader(configuration)
	if err := application.StartUntil(dex, issuer+"/.well-known/openid-configuration"); err != nil {
		return err
	}
	asks, err := json.Marshal(map[string]any{
		"issuer":   issuer,
		"clientId": clientID,
		"said":     map[string]any{"Scopes": []string{"openid", "profile", "email"}},
	})
	if err != nil {
		return err
	}
	client := exec.Command(filepath.Join(filepath.Dir(os.Args[0]), "go-oidc"), string(asks))
	client.Stdout, client.Stderr = os.Stdout, os.Stderr
	return client.Run()
}

// connectors returns the configuration of each connector without its further options.
var connectors = map[string]func(told application.Told, callback string) (map[string]any, error){
	"oidc": func(told application.Told, callback string) (map[string]any, error) {
		return map[string]any{
			"issuer":       told.Issuer,
			"clientID":     told.ClientID,
			"clientSecret": told.ClientSecret,
			"redirectURI":  callback,
		}, nil
	},
	"saml": func(told application.Told, callback string) (map[string]any, error) {
		certificate, err := signingCertificate(told.Issuer + "/saml/metadata")
		if err != nil {
			return nil, err
		}
		return map[string]any{
			"ssoURL":      told.Issuer + "/saml/sso",
			"caData":      certificate,
			"redirectURI": callback,
		}, nil
	},
}

// signingCertificate returns the provider's certificate as PEM, because the connector reads no metadata.
func signingCertificate(metadata string) ([]byte, error) {
	answer, err := http.Get(metadata)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var described struct {
		Descriptor struct {
			Keys []struct {
				Use         string `xml:"use,attr"`
				Certificate string `xml:"KeyInfo>X509Data>X509Certificate"`
			} `xml:"KeyDescriptor"`
		} `xml:"IDPSSODescriptor"`
	}
	if err := xml.NewDecoder(answer.Body).Decode(&described); err != nil {
		return nil, err
	}
	for _, key := range described.Descriptor.Keys {
		if key.Use != "encryption" {
			content, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(key.Certificate), ""))
			return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: content}), err
		}
	}
	return nil, fmt.Errorf("%s names no certificate", metadata)
}
