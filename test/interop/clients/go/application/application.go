// Package application is what the applications in Go have in common, as application.mjs has it for those in JavaScript.
package application

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
)

// Told is what an application is told of its provider.
type Told struct {
	Issuer       string `json:"issuer"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	Said         struct {
		Scopes []string `json:"scopes"`
	} `json:"said"`
}

// Serve serves what build makes of the application's own address, and says where a person begins to log in.
func Serve(build func(base string, told Told) (http.Handler, error)) {
	if err := serve(build); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(build func(base string, told Told) (http.Handler, error)) error {
	var told Told
	if err := json.Unmarshal([]byte(os.Args[1]), &told); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	base := "http://" + listener.Addr().String()
	handler, err := build(base, told)
	if err != nil {
		return err
	}
	fmt.Printf("{\"login\":%q}\n", base+"/login")
	return http.Serve(listener, handler)
}

// Greet is the page that greets a person.
func Greet(response http.ResponseWriter, name, email string) {
	response.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(response, "logged in\n%s\n%s\n", name, email)
}
