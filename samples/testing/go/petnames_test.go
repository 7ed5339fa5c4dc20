package petnames

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// The address and the keys of the pet store, which runs in a process of its own.
var store struct {
	URL  string
	Keys map[string]string
}

func TestMain(m *testing.M) {
	command := strings.Fields(os.Getenv("PETSTORE"))
	if len(command) == 0 {
		command = []string{"npx", "--no", "petstore"}
	}
	arguments := append(command[1:], "demo", "--port", "0", "--pets", "50", "--seed", "7", "--json")
	demo := exec.Command(command[0], arguments...)
	output, err := demo.StdoutPipe()
	if err == nil {
		err = demo.Start()
	}
	if err != nil {
		panic(err)
	}
	line, _ := bufio.NewReader(output).ReadBytes('\n')
	if err := json.Unmarshal(line, &store); err != nil {
		panic(err)
	}
	code := m.Run()
	demo.Process.Signal(syscall.SIGTERM)
	demo.Wait()
	os.Exit(code)
}

// A transport that adds headers to each request.
type headers map[string]string

func (added headers) RoundTrip(request *http.Request) (*http.Response, error) {
	request = request.Clone(request.Context())
	request.Header.Set("Authorization", "Bearer "+store.Keys["business"])
	for name, value := range added {
		request.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(request)
}

func TestReadsEveryPage(t *testing.T) {
	names, err := All(&http.Client{Transport: headers{}}, store.URL)
	if err != nil || len(names) != 50 || names[0] != "Rex II" {
		t.Fatal(names, err)
	}
}

func TestReportsThatTheKeyIsBanned(t *testing.T) {
	_, err := All(&http.Client{Transport: headers{"Petstore-Simulate": "key_banned"}}, store.URL)
	if err == nil || !strings.Contains(err.Error(), "429") {
		t.Fatal(err)
	}
}

func TestReportsThatTheConnectionWasCut(t *testing.T) {
	_, err := All(&http.Client{Transport: headers{"Petstore-Simulate": "disconnect"}}, store.URL)
	if err == nil || !strings.Contains(err.Error(), "EOF") && !strings.Contains(err.Error(), "reset") {
		t.Fatal(err)
	}
}
