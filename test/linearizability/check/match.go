package main

import (
	"fmt"
	"sort"
)

// Whether the answer is what the rules say. Orders whose id was unknown get the one that the answer shows.
func matches(s state, expected outcome, c call, actual answer) (bool, state) {
	if actual.status != expected.status || actual.code != expected.code || actual.replayed != expected.replayed {
		return false, s
	}
	switch {
	case expected.orders:
		return s.showAll(actual.orders, c.PetID)
	case expected.order != nil:
		shown := actual.order
		if shown == nil || shown.PetID != c.PetID || shown.Status != expected.order.Status {
			return false, s
		}
		if actual.etag != tagOf(expected.order.Version) {
			return false, s
		}
		return s.show(expected.place, shown.ID)
	case expected.holder != none:
		return s.show(expected.holder, actual.holder)
	case expected.pet != nil:
		return isPet(actual, *expected.pet, c), s
	}
	return actual.pet == nil, s
}

func isPet(actual answer, expected pet, c call) bool {
	shown := actual.pet
	if shown == nil || *shown != (petBody{c.PetID, expected.Name, expected.CategoryID, expected.Status}) {
		return false
	}
	// A list of several pets has no ETag of one of them.
	return len(c.PetIDs) > 1 || actual.etag == tagOf(expected.Version)
}

// An answer shows the id of the order at this place.
func (s state) show(place int, id int64) (bool, state) {
	if id <= 0 {
		return false, s
	}
	if known := s.orders[place].ID; known != 0 {
		return known == id, s
	}
	if s.placeOf(id) != none {
		return false, s
	}
	s.orders = append([]order{}, s.orders...)
	s.orders[place].ID = id
	return true, s
}

// An answer shows all orders of the pet.
func (s state) showAll(shown []orderBody, petID int64) (bool, state) {
	if len(shown) != len(s.orders) {
		return false, s
	}
	for _, each := range shown {
		place := s.placeOf(each.ID)
		if place == none {
			place = s.placeOf(0)
		}
		if place == none || each.PetID != petID || each.Status != s.orders[place].Status {
			return false, s
		}
		var isNew bool
		if isNew, s = s.show(place, each.ID); !isNew {
			return false, s
		}
	}
	isSorted := sort.SliceIsSorted(shown, func(i, j int) bool { return shown[i].ID < shown[j].ID })
	return isSorted, s
}

func tagOf(version int) string {
	return fmt.Sprintf(`"v%d"`, version)
}
