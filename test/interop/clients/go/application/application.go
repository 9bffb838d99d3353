// Package application is what the applications in Go have in common, as application.mjs has it for those in JavaScript.
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

// Told is what an application is told of its provider.
type Told struct {
	Issuer       string `json:"issuer"`
	ClientID     string `json:"clientId"`
	ClientSecret string `json:"clientSecret"`
	// Said is by the library's own names.
	Said map[string]Words `json:"said"`
}

// Words is one word or several.
type Words []string

// UnmarshalJSON takes a list of words, or what stands for one.
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

// Flags is what a program with a command line is told besides.
func (told Told) Flags() []string {
	var flags []string
	for name, words := range told.Said {
		for _, word := range words {
			flags = append(flags, "--"+name+"="+word)
		}
	}
	return flags
}

// Hear returns what this application is told, which is its last argument.
func Hear() (told Told, err error) {
	err = json.Unmarshal([]byte(os.Args[len(os.Args)-1]), &told)
	return told, err
}

// Tool is the program of somebody else that this application starts, which is its first argument.
func Tool(arguments ...string) *exec.Cmd {
	command := exec.Command(os.Args[1], arguments...)
	command.Stderr = os.Stderr
	return command
}

// FreeAddress is one of this machine for a program that cannot choose a port by itself, and say which.
func FreeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// StartUntil starts a program and returns when a page that it serves is there.
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

// Serve serves what build makes of the application's own address, and says where a person begins to log in.
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

// Greet is the page that greets a person.
func Greet(response http.ResponseWriter, name, email string) {
	response.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(response, "logged in\n%s\n%s\n", name, email)
}
