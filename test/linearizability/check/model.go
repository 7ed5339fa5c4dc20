package main

import "github.com/anishathalye/porcupine"

// The rules of docs/interface.md for one pet and its orders, one request at a time.

type phase int

const (
	absent phase = iota
	present
	removed
)

type pet struct {
	Status     string
	Name       string
	CategoryID int64
	Version    int
}

// An order of the pet. Its id is 0 until an answer has shown it.
type order struct {
	ID      int64
	Status  string
	Version int
}

// No place among the orders.
const none = -1

// The order that an idempotency key has placed, by its place among the orders.
type placement struct {
	key   string
	place int
}

type state struct {
	phase       phase
	pet         pet
	creationKey string
	orders      []order
	placements  []placement
}

// What the rules answer to a call: with a pet, with an order and its place, or with all orders; a refusal may name the
// order that holds the pet.
type outcome struct {
	status   int
	code     string
	replayed bool
	pet      *pet
	order    *order
	place    int
	orders   bool
	holder   int
}

var petTransitions = map[string][]string{
	"available": {"pending", "sold"},
	"pending":   {"available", "sold"},
	"sold":      {"available"},
}

var orderTransitions = map[string][]string{
	"placed":   {"approved", "cancelled"},
	"approved": {"delivered", "cancelled"},
}

// What becomes of the pet when its order gets this status.
var petStatusAfter = map[string]string{"delivered": "sold", "cancelled": "available"}

var model = porcupine.Model{
	Init: func() interface{} { return state{} },
	Step: func(s, input, output interface{}) (bool, interface{}) {
		return step(s.(state), input.(call), output.(*answer))
	},
	Equal: func(a, b interface{}) bool { return equal(a.(state), b.(state)) },
}

// Makes a call. `actual` is nil if the answer is unknown: then the call has had its effect, and shows nothing.
func step(s state, c call, actual *answer) (bool, state) {
	if actual != nil && actual.code == "idempotency_in_progress" && c.Key != "" {
		return true, s
	}
	next, expected := apply(s, c)
	if actual == nil {
		return true, next
	}
	return matches(next, expected, c, *actual)
}

func apply(s state, c call) (state, outcome) {
	switch c.Operation {
	case "createPet":
		return createPet(s, c)
	case "updatePet":
		return updatePet(s, c)
	case "deletePet":
		return deletePet(s, c)
	case "getPet":
		return s, shown(s, refusal(404, "pet_not_found"))
	case "listPets":
		return s, shown(s, outcome{status: 200, place: none, holder: none})
	case "placeOrder":
		return placeOrder(s, c)
	case "updateOrder":
		return updateOrder(s, c)
	case "getOrder":
		if place := s.placeOf(c.OrderID); place != none {
			return s, ofOrder(200, s.orders[place], place)
		}
		return s, refusal(404, "order_not_found")
	case "listOrders":
		return s, outcome{status: 200, place: none, holder: none, orders: true}
	}
	panic("unknown operation " + c.Operation)
}

func createPet(s state, c call) (state, outcome) {
	created := pet{Status: "available", Name: *c.Body.Name, CategoryID: *c.Body.CategoryID, Version: 1}
	if c.Body.Status != nil {
		created.Status = *c.Body.Status
	}
	answered := ofPet(201, created)
	if s.phase != absent {
		// Another creation has another partition: this is the same one again.
		answered.replayed = true
		return s, answered
	}
	s.phase, s.pet, s.creationKey = present, created, c.Key
	return s, answered
}

func updatePet(s state, c call) (state, outcome) {
	if refused := s.refusePet(c); refused != nil {
		return s, *refused
	}
	after := s.pet
	if c.Body.Name != nil {
		after.Name = *c.Body.Name
	}
	if c.Body.CategoryID != nil {
		after.CategoryID = *c.Body.CategoryID
	}
	if c.Body.Status != nil && *c.Body.Status != after.Status {
		if holder := s.holder(); holder != none {
			return s, reserved(holder)
		}
		if !contains(petTransitions[after.Status], *c.Body.Status) {
			return s, refusal(409, "invalid_transition")
		}
		after.Status = *c.Body.Status
	}
	if after != s.pet {
		after.Version++
		s.pet = after
	}
	return s, ofPet(200, after)
}

func deletePet(s state, c call) (state, outcome) {
	if refused := s.refusePet(c); refused != nil {
		return s, *refused
	}
	if holder := s.holder(); holder != none {
		return s, reserved(holder)
	}
	s.phase, s.pet = removed, pet{}
	return s, outcome{status: 204, place: none, holder: none}
}

func placeOrder(s state, c call) (state, outcome) {
	for _, known := range s.placements {
		if known.key == c.Key {
			answered := ofOrder(201, order{Status: "placed", Version: 1}, known.place)
			answered.replayed = true
			return s, answered
		}
	}
	if s.phase != present {
		return s, refusal(404, "pet_not_found")
	}
	if s.pet.Status != "available" {
		return s, refusal(409, "pet_not_available")
	}
	placed, place := order{Status: "placed", Version: 1}, len(s.orders)
	s.orders = append(append([]order{}, s.orders...), placed)
	if c.Key != "" {
		s.placements = append(append([]placement{}, s.placements...), placement{c.Key, place})
	}
	s.pet.Status = "pending"
	s.pet.Version++
	return s, ofOrder(201, placed, place)
}

func updateOrder(s state, c call) (state, outcome) {
	place := s.placeOf(c.OrderID)
	if place == none {
		return s, refusal(404, "order_not_found")
	}
	after := s.orders[place]
	if c.IfMatch != "" && c.IfMatch != tagOf(after.Version) {
		return s, refusal(412, "precondition_failed")
	}
	if !contains(orderTransitions[after.Status], c.Status) {
		return s, refusal(409, "invalid_transition")
	}
	after.Status = c.Status
	after.Version++
	s.orders = append([]order{}, s.orders...)
	s.orders[place] = after
	if status, isChanged := petStatusAfter[c.Status]; isChanged {
		s.pet.Status = status
		s.pet.Version++
	}
	return s, ofOrder(200, after, place)
}

// Why the call may not change the pet, or nil.
func (s state) refusePet(c call) *outcome {
	if s.phase != present {
		refused := refusal(404, "pet_not_found")
		return &refused
	}
	if c.IfMatch != "" && c.IfMatch != tagOf(s.pet.Version) {
		refused := refusal(412, "precondition_failed")
		return &refused
	}
	return nil
}

// The place of the order that holds the pet.
func (s state) holder() int {
	for place, order := range s.orders {
		if len(orderTransitions[order.Status]) > 0 {
			return place
		}
	}
	return none
}

func (s state) placeOf(id int64) int {
	for place, order := range s.orders {
		if order.ID == id {
			return place
		}
	}
	return none
}

func shown(s state, otherwise outcome) outcome {
	if s.phase == present {
		return ofPet(200, s.pet)
	}
	return otherwise
}

func ofPet(status int, shown pet) outcome {
	return outcome{status: status, pet: &shown, place: none, holder: none}
}

func ofOrder(status int, shown order, place int) outcome {
	return outcome{status: status, order: &shown, place: place, holder: none}
}

func refusal(status int, code string) outcome {
	return outcome{status: status, code: code, place: none, holder: none}
}

func reserved(holder int) outcome {
	return outcome{status: 409, code: "pet_reserved", place: none, holder: holder}
}

func contains(all []string, one string) bool {
	for _, each := range all {
		if each == one {
			return true
		}
	}
	return false
}

func equal(a, b state) bool {
	if a.phase != b.phase || a.pet != b.pet || a.creationKey != b.creationKey {
		return false
	}
	if len(a.orders) != len(b.orders) || len(a.placements) != len(b.placements) {
		return false
	}
	for i := range a.orders {
		if a.orders[i] != b.orders[i] {
			return false
		}
	}
	for i := range a.placements {
		if a.placements[i] != b.placements[i] {
			return false
		}
	}
	return true
}
