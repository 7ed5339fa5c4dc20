package main

import (
	"fmt"
	"sort"

	"github.com/anishathalye/porcupine"
)

// The calls to print on each side of the first one that fits nowhere.
const context = 8

// Prints where the longest linearization of a pet's calls ends, and draws the whole history into a web page.
func report(id int64, all []porcupine.Operation, result porcupine.CheckResult, info porcupine.LinearizationInfo, page string) {
	if result == porcupine.Unknown {
		fmt.Printf("pet %d: not decided within %v\n", id, patience)
		return
	}
	longest := longestOf(info)
	reached := state{}
	isDone := map[interface{}]bool{}
	for _, operation := range longest {
		_, reached = step(reached, operation.Input.(call), operation.Output.(*answer))
		isDone[operation.Metadata] = true
	}
	fmt.Printf("pet %d is not linearizable: at most %d of %d calls fit. The last ones:\n", id, len(longest), len(all))
	for i := max(0, len(longest)-context); i < len(longest); i++ {
		fmt.Println(longest[i].Metadata)
	}
	fmt.Printf("then the pet is %+v, and none of these calls can be next:\n", reached)
	sort.Slice(all, func(i, j int) bool { return all[i].Call < all[j].Call })
	printed := 0
	for _, operation := range all {
		if !isDone[operation.Metadata] && printed < context {
			fmt.Println(operation.Metadata)
			printed++
		}
	}
	if err := porcupine.VisualizePath(model, info, page); err == nil {
		fmt.Println("all its calls: " + page)
	}
}

func longestOf(info porcupine.LinearizationInfo) []porcupine.Operation {
	var longest []porcupine.Operation
	for _, found := range info.PartialLinearizationsOperations()[0] {
		if len(found) > len(longest) {
			longest = found
		}
	}
	return longest
}

func max(a, b int) int {
	if a > b {
		return a
	}
	return b
}
