package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/anishathalye/porcupine"
)

// A request, as test/support/calls.ts writes it.
type call struct {
	Operation string
	PetID     int64   `json:"petId"`
	PetIDs    []int64 `json:"petIds"`
	OrderID   int64   `json:"orderId"`
	Key       string
	IfMatch   string
	Status    string
	Body      struct {
		Name       *string
		CategoryID *int64 `json:"categoryId"`
		Status     *string
	}
}

// A read without an answer shows nothing.
func (c call) isRead() bool {
	return strings.HasPrefix(c.Operation, "get") || strings.HasPrefix(c.Operation, "list")
}

// A line of the history. An open call has no answer, and no end.
type entry struct {
	Client int
	Call   call
	From   int64
	Until  int64
	Answer *struct {
		Status   int
		ETag     *string
		Replayed bool
		Body     json.RawMessage
	}
	// As it was read.
	line string
}

type petBody struct {
	ID         int64
	Name       string
	CategoryID int64 `json:"categoryId"`
	Status     string
}

type orderBody struct {
	ID     int64
	PetID  int64 `json:"petId"`
	Status string
}

type answer struct {
	status   int
	etag     string
	replayed bool
	code     string
	// The order that a refusal names.
	holder int64
	pet    *petBody
	pets   []petBody
	order  *orderBody
	orders []orderBody
}

// The calls by the pet that they are about. Orders belong to their pet.
type partitions map[int64][]porcupine.Operation

var named = regexp.MustCompile(`Order (\d+)`)

func readHistory(path string) (partitions, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	all := partitions{}
	created := creations{}
	var open []entry
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		e := entry{line: lines.Text()}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return nil, fmt.Errorf("%w: %s", err, e.line)
		}
		if e.Answer == nil {
			open = append(open, e)
			continue
		}
		answered, err := answerOf(e)
		if err == nil && e.Call.Operation == "createPet" {
			err = created.add(&e, answered)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, e.line)
		}
		if e.Call.Operation == "listPets" {
			all.addList(e, answered)
		} else {
			all.add(e, answered)
		}
	}
	for _, e := range open {
		if e.Call.Operation == "createPet" {
			e.Call.PetID = created[e.Call.Key]
		}
		if !e.Call.isRead() {
			e.Until = math.MaxInt64
			all.add(e, nil)
		}
	}
	return all, lines.Err()
}

// The pets that calls with an idempotency key have created.
type creations map[string]int64

// Writes the id of the pet into its creation.
func (created creations) add(e *entry, answered *answer) error {
	if answered.code == "idempotency_in_progress" {
		return nil
	}
	if answered.pet == nil {
		return errors.New("a creation was refused")
	}
	e.Call.PetID = answered.pet.ID
	if e.Call.Key == "" {
		return nil
	}
	if other, isKnown := created[e.Call.Key]; isKnown && other != e.Call.PetID {
		return fmt.Errorf("the same creation has added pet %d before", other)
	}
	created[e.Call.Key] = e.Call.PetID
	return nil
}

// Nobody has seen the pet of a creation without an answer, unless another call with its idempotency key was answered.
func (all partitions) add(e entry, answered *answer) {
	if e.Call.PetID == 0 {
		return
	}
	all[e.Call.PetID] = append(all[e.Call.PetID], porcupine.Operation{
		ClientId: e.Client, Input: e.Call, Call: e.From, Output: answered, Return: e.Until, Metadata: e.line,
	})
}

// A list is a read of each pet that was asked for.
func (all partitions) addList(e entry, answered *answer) {
	for _, id := range e.Call.PetIDs {
		each := *answered
		for i, pet := range answered.pets {
			if pet.ID == id {
				each.pet = &answered.pets[i]
			}
		}
		e.Call.PetID = id
		all.add(e, &each)
	}
}

func answerOf(e entry) (*answer, error) {
	given := e.Answer
	a := &answer{status: given.Status, replayed: given.Replayed}
	if given.ETag != nil {
		a.etag = *given.ETag
	}
	if given.Status >= 400 {
		var refusal struct{ Code, Message string }
		err := json.Unmarshal(given.Body, &refusal)
		a.code = refusal.Code
		if found := named.FindStringSubmatch(refusal.Message); found != nil {
			a.holder, _ = strconv.ParseInt(found[1], 10, 64)
		}
		return a, err
	}
	switch e.Call.Operation {
	case "createPet", "updatePet", "getPet":
		return a, json.Unmarshal(given.Body, &a.pet)
	case "listPets":
		return a, json.Unmarshal(given.Body, &a.pets)
	case "placeOrder", "updateOrder", "getOrder":
		return a, json.Unmarshal(given.Body, &a.order)
	case "listOrders":
		return a, json.Unmarshal(given.Body, &a.orders)
	}
	return a, nil
}
