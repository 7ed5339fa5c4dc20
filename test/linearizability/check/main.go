// Checks whether the history of calls to the service is linearizable: whether each call may have had its effect at one
// moment between its request and its answer. Exits 1 with the first pet for which that is impossible, 3 with one for which it
// takes too long to decide.
package main

import (
	"fmt"
	"os"
	"sort"
	"time"

	"github.com/anishathalye/porcupine"
)

// How long the search for one pet may take.
const patience = 30 * time.Second

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: check HISTORY")
		os.Exit(2)
	}
	path := os.Args[1]
	history, err := readHistory(path)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	calls, open := 0, 0
	for _, id := range history.pets() {
		result, info := porcupine.CheckOperationsVerbose(model, history[id], patience)
		if result != porcupine.Ok {
			report(id, history[id], result, info, path+".html")
			if result == porcupine.Unknown {
				os.Exit(3)
			}
			os.Exit(1)
		}
		calls += len(history[id])
		for _, operation := range history[id] {
			if operation.Output.(*answer) == nil {
				open++
			}
		}
	}
	fmt.Printf("%d pets, %d calls, %d of them without an answer: linearizable\n", len(history), calls, open)
}

func (all partitions) pets() []int64 {
	ids := make([]int64, 0, len(all))
	for id := range all {
		ids = append(ids, id)
	}
	sort.Slice(ids, func(i, j int) bool { return ids[i] < ids[j] })
	return ids
}
