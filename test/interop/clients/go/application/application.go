// Package application contains what the Go applications share, like application.mjs for those in JavaScript.
package application

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"time"
)

// Told is the configuration of an application.
type Told struct {
	Issuer       string `json:"issuer"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	// Said contains further options with the library's own names.
	Said map[string]Words `json:"said"`
}

// Words is one string or several.
type Words []string

// UnmarshalJSON accepts a list of strings, or a single value.
func (words *Words) UnmarshalJSON(data []byte) error {
	if data[0] == '[' {
		return json.Unmarshal(data, (*[]string)(words))
	}
	var word any
	if err := json.Unmarshal(data, &word); err != nil {
		return err
	}
	*words = Words{fmt.Sprint(word)}
	return nil
}

// Flags returns the further options as command line flags.
func (told Told) Flags() []string {
	var flags []string
	for name, words := range told.Said {
		for _, word := range words {
			flags = append(flags, "--"+name+"="+word)
		}
	}
	return flags
}

// Hear returns the configuration of this application, which is its last argument.
func Hear() (told Told, err error) {
	err = json.Unmarshal([]byte(os.Args[len(os.Args)-1]), &told)
	return told, err
}

// Tool is the third-party program that this application starts, which is its first argument.
func Tool(arguments ...string) *exec.Cmd {
	command := exec.Command(os.Args[1], arguments...)
	command.Stderr = os.Stderr
	return command
}

// FreeAddress returns a free local address for a program that cannot choose and report a port.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// StartUntil starts a program and returns once it serves a page.
func StartUntil(command *exec.Cmd, page string) error {
	if err := command.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- command.Wait() }()
	for {
		if answer, err := http.Get(page); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case err := <-ended:
			return fmt.Errorf("%s ended: %w", command.Path, err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// Serve serves the application that build creates for its own address, and prints the address where a login starts.
func Serve(build func(base string, told Told) (http.Handler, error)) {
	if err := serve(build); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(build func(base string, told Told) (http.Handler, error)) error {
	told, err := Hear()
	if err != nil {
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

// Greet is the page that greets a user.
func Greet(response http.ResponseWriter, name, email string) {
	response.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(response, "logged in\n%s\n%s\n", name, email)
}
