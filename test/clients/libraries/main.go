// Go's net/http with hashicorp/go-retryablehttp, with its defaults.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/hashicorp/go-retryablehttp"
)

type call struct {
	ID      string            `json:"id"`
	Method  string            `json:"method"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
}

type outcome struct {
	ID     string `json:"id"`
	Status int    `json:"status,omitempty"`
	Error  string `json:"error,omitempty"`
}

func main() {
	client := retryablehttp.NewClient()
	client.Logger = nil
	outcomes := make(chan outcome)
	go func() {
		for result := range outcomes {
			line, _ := json.Marshal(result)
			fmt.Println(string(line))
		}
	}()
	fmt.Println("ready")
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var made call
		if err := json.Unmarshal(lines.Bytes(), &made); err != nil {
			panic(err)
		}
		go func() { outcomes <- makeCall(client, made) }()
	}
}

func makeCall(client *retryablehttp.Client, made call) outcome {
	var body any
	if made.Body != "" {
		body = strings.NewReader(made.Body)
	}
	request, err := retryablehttp.NewRequest(made.Method, made.URL, body)
	if err != nil {
		return outcome{ID: made.ID, Error: err.Error()}
	}
	for name, value := range made.Headers {
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return outcome{ID: made.ID, Error: err.Error()}
	}
	response.Body.Close()
	return outcome{ID: made.ID, Status: response.StatusCode}
}
