// Mirrors pets and categories into a JSON file, with Go alone:
// PETSTORE_API_KEY=pets_live_… PETSTORE_BASE_URL=http://127.0.0.1:8080/v1 go run mirror.go
package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const types = "pet.created,pet.updated,pet.deleted,category.created,category.updated,category.deleted"

var base, key = os.Getenv("PETSTORE_BASE_URL"), os.Getenv("PETSTORE_API_KEY")
var client = http.Client{Timeout: time.Minute}
var next = regexp.MustCompile(`<([^>]*)>; rel="next"`)
var after = regexp.MustCompile(`[?&]after=(\d+)`)

// A state that is kept; what was deleted has no data.
type state struct {
	Version int64           `json:"version"`
	Data    json.RawMessage `json:"data"`
}

type mirror struct {
	Position string           `json:"position"`
	Copy     map[string]state `json:"copy"`
}

// get sends a request until it is answered with 200, whose body it decodes, or 410.
func get(url, prefer string, body any) (link string, position string, isExpired bool) {
	for pause := 1; ; pause = min(2*pause, 60) {
		request, _ := http.NewRequest("GET", url, nil)
		request.Header.Set("Authorization", "Bearer "+key)
		request.Header.Set("Prefer", prefer)
		seconds := pause
		answer, err := client.Do(request)
		if err == nil {
			switch status := answer.StatusCode; {
			case status == 200:
				err = json.NewDecoder(answer.Body).Decode(body)
			case status == 410:
				isExpired = true
			case status == 429 || status >= 500:
				err = fmt.Errorf("status %d", status)
				if after, bad := strconv.Atoi(answer.Header.Get("Retry-After")); bad == nil {
					seconds = after
				}
			default:
				log.Fatal(answer.Status)
			}
			answer.Body.Close()
		}
		if err == nil {
			if found := next.FindStringSubmatch(answer.Header.Get("Link")); found != nil {
				link = found[1]
			}
			return link, answer.Header.Get("Petstore-Position"), isExpired
		}
		fmt.Println("waiting", seconds, "s")
		time.Sleep(time.Duration(seconds) * time.Second)
	}
}

func copyAll() mirror {
	made := mirror{Copy: map[string]state{}}
	for _, collection := range []string{"pets", "categories"} {
		for url := base + "/" + collection + "?limit=100"; url != ""; {
			var page []json.RawMessage
			link, position, _ := get(url, "", &page)
			if made.Position == "" {
				made.Position = position
			}
			for _, item := range page {
				var named struct{ Id json.Number }
				if err := json.Unmarshal(item, &named); err != nil {
					log.Fatal(err)
				}
				made.Copy[path.Join(collection, named.Id.String())] = state{Data: item}
			}
			url = link
		}
	}
	fmt.Println("copied", len(made.Copy))
	return made
}

// save replaces the file as a whole: the copy and its position stay together.
func (mirror mirror) save(name string) {
	text, err := json.Marshal(mirror)
	file, failed := os.Create(name + ".new")
	if err != nil || failed != nil {
		log.Fatal(err, failed)
	}
	if _, err = file.Write(text); err == nil {
		err = file.Sync()
	}
	file.Close()
	if err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		log.Fatal(err)
	}
}

func main() {
	name := os.Getenv("MIRROR")
	if name == "" {
		name = "mirror.json"
	}
	var known mirror
	if text, err := os.ReadFile(name); err != nil || json.Unmarshal(text, &known) != nil {
		known = copyAll()
		known.save(name)
	}
	for {
		var events []struct {
			Type, Subject string
			state
		}
		link, _, isExpired := get(base+"/events?types="+types+"&limit=100&after="+known.Position, "wait=30", &events)
		if isExpired {
			known = copyAll()
		} else {
			for _, event := range events {
				if before, isKnown := known.Copy[event.Subject]; isKnown && before.Version >= event.Version {
					continue
				}
				if strings.HasSuffix(event.Type, ".deleted") {
					event.Data = nil
				}
				known.Copy[event.Subject] = event.state
				fmt.Println(event.Type, event.Subject, event.Version)
			}
			known.Position = after.FindStringSubmatch(link)[1]
		}
		known.save(name)
	}
}
