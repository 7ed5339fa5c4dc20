module equal-work

go 1.24

require (
	github.com/mattn/go-sqlite3 v1.14.32
	golang.org/x/text v0.28.0
)
