// The service's cached list in Go: the key's checksum and hash, two windows, a page from a map, the same headers.
package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	limit  = 1_000_000_000
	policy = `"minute";q=1000000000;w=60, "day";q=1000000000;w=86400`
	etag   = `"2jmj7l5rSw0yVb_vlWAYkK_YBwk"`
	next   = `<http://127.0.0.1:8080/v1/pets?limit=20&status=available&after=59>; rel="next"`
)

type window struct{ count, resetAt int64 }

type windows struct{ minute, day window }

var (
	lock sync.Mutex
	keys = map[string]*windows{}
)

func (w *window) take(seconds, now int64) (remaining, left int64) {
	if now >= w.resetAt {
		*w = window{0, now + seconds}
	}
	if w.count < limit {
		w.count++
	}
	return limit - w.count, w.resetAt - now
}

func checksum(body string) string {
	remainder := crc32.ChecksumIEEE([]byte(body))
	var text [6]byte
	for i := 5; i >= 0; i-- {
		text[i] = digits[remainder%62]
		remainder /= 62
	}
	return string(text[:])
}

func hashOf(secret string) string {
	sum := sha256.Sum256([]byte(secret))
	return hex.EncodeToString(sum[:])
}

func requestID() string {
	var id [16]byte
	rand.Read(id[:])
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

func main() {
	port, file, secret := os.Args[1], os.Args[2], os.Args[3]
	answer, err := os.ReadFile(file)
	if err != nil {
		log.Fatal(err)
	}
	keys[hashOf(secret)] = &windows{}
	pages := map[string][]byte{"limit=20&status=available": answer}
	http.HandleFunc("GET /v1/pets", func(w http.ResponseWriter, r *http.Request) {
		given := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		if len(given) != 49 || checksum(given[:43]) != given[43:] {
			w.WriteHeader(401)
			return
		}
		now := time.Now().Unix()
		lock.Lock()
		key := keys[hashOf(given)]
		if key == nil {
			lock.Unlock()
			w.WriteHeader(401)
			return
		}
		minute, minuteLeft := key.minute.take(60, now)
		day, dayLeft := key.day.take(86_400, now)
		resetAt := key.day.resetAt
		lock.Unlock()
		page, isKept := pages[r.URL.RawQuery]
		if !isKept {
			w.WriteHeader(404)
			return
		}
		header := w.Header()
		header.Set("Content-Type", "application/json")
		header.Set("X-Request-Id", requestID())
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cache-Control", "private, no-cache")
		header.Set("Vary", "Authorization")
		header.Set("ETag", etag)
		header.Set("Link", next)
		header.Set("X-RateLimit-Limit", strconv.Itoa(limit))
		header.Set("X-RateLimit-Remaining", strconv.FormatInt(min(minute, day), 10))
		header.Set("X-RateLimit-Reset", strconv.FormatInt(resetAt, 10))
		header.Set("RateLimit-Policy", policy)
		header.Set("RateLimit", fmt.Sprintf(`"minute";r=%d;t=%d, "day";r=%d;t=%d`, minute, minuteLeft, day, dayLeft))
		w.Write(page)
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
