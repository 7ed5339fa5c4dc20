// Package petnames lists the pets of a pet store.
package petnames

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
)

var next = regexp.MustCompile(`<([^>]+)>; rel="next"`)

// All returns the names of all pets: it follows the pages.
func All(client *http.Client, url string) ([]string, error) {
	var names []string
	for page := url + "/pets"; page != ""; {
		response, err := client.Get(page)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return nil, fmt.Errorf("the pet store answered %s", response.Status)
		}
		var pets []struct{ Name string }
		if err := json.NewDecoder(response.Body).Decode(&pets); err != nil {
			return nil, err
		}
		for _, pet := range pets {
			names = append(names, pet.Name)
		}
		page = ""
		if link := next.FindStringSubmatch(response.Header.Get("Link")); link != nil {
			page = link[1]
		}
	}
	return names, nil
}
