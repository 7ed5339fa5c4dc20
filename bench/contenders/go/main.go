// The service's work on net/http and mattn/go-sqlite3.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	_ "github.com/mattn/go-sqlite3"
	"golang.org/x/text/unicode/norm"
)

const (
	digits    = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	anonymous = 300
	mostPages = 1_000
	mostJobs  = 256
	int64s    = "must be an integer from -9223372036854775808 to 9223372036854775807"
)

type pet struct {
	ID         int64  `json:"id"`
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
	Status     string `json:"status"`
	version    int64
}

type snapshot struct {
	Name       string `json:"name"`
	CategoryID int64  `json:"categoryId"`
}

type order struct {
	ID        int64    `json:"id"`
	PetID     int64    `json:"petId"`
	Pet       snapshot `json:"pet"`
	Status    string   `json:"status"`
	CreatedAt string   `json:"createdAt"`
	UpdatedAt string   `json:"updatedAt"`
}

type problem struct {
	In      string `json:"in"`
	Field   string `json:"field"`
	Problem string `json:"problem"`
}

type refusal struct {
	Code    string    `json:"code"`
	Message string    `json:"message"`
	Status  int       `json:"status"`
	Details []problem `json:"details,omitempty"`
}

type window struct{ count, limit, seconds, resetAt int64 }

type key struct {
	windows []*window
	readAt  int64
}

type page struct {
	body       []byte
	etag, link string
}

// answer: what an operation returns. Reads have the headers of caching, creations a location.
type answer struct {
	status               int
	body                 []byte
	etag, link, location string
	isRead               bool
}

type job struct {
	work func(*sql.Tx) (answer, error)
	done chan answer
}

var (
	root      string
	reader    *sql.DB
	lock      sync.Mutex // for keys, addresses and their windows
	keys      = map[string]*key{}
	addresses = map[string]*window{}
	pagesLock sync.Mutex
	pages     = map[string]page{}
	revision  atomic.Int64
	jobs      = make(chan job, mostJobs)
	form      = regexp.MustCompile(`^pets_live_[0-9A-Za-z]{32}_[0-9A-Za-z]{6}$`)
	ownID     = regexp.MustCompile(`^[\w.-]{1,128}$`)
	number    = regexp.MustCompile(`^[1-9]\d*$`)
	statuses  = map[string][]string{"available": {"pending", "sold"}, "pending": {"available", "sold"}, "sold": {"available"}}

	readKey, readPage, readFiltered, readPet                             *sql.Stmt
	lockPet, addPet, setStatus, setPet, findHolder, addOrder, countOrder *sql.Stmt
	count                                                                = map[string]*sql.Stmt{}
)

func open(path, more string) *sql.DB {
	database, err := sql.Open("sqlite3", "file:"+path+"?_journal_mode=WAL&_synchronous=FULL&_cache_size=-8192"+more)
	if err != nil {
		log.Fatal(err)
	}
	database.SetMaxOpenConns(1)
	return database
}

func prepare(database *sql.DB, text string) *sql.Stmt {
	statement, err := database.Prepare(text)
	if err != nil {
		log.Fatal(err)
	}
	return statement
}

func main() {
	port, path := os.Args[1], os.Args[2]
	root = "http://127.0.0.1:" + port
	writer := open(path, "&_txlock=immediate")
	reader = open(path, "")
	const columns = "SELECT id, name, category_id, status, version FROM pets NOT INDEXED WHERE "
	readKey = prepare(reader, `SELECT per_minute, per_day FROM secrets JOIN keys ON keys.id = key_id
		WHERE hash = ?1 AND revoked_at IS NULL AND disabled_at IS NULL
			AND coalesce(keys.expires_at > ?2, TRUE) AND coalesce(secrets.expires_at > ?2, TRUE)`)
	readPage = prepare(reader, columns+"id > ? ORDER BY id LIMIT ?")
	readFiltered = prepare(reader, columns+"status = ? AND id > ? ORDER BY id LIMIT ?")
	readPet, lockPet = prepare(reader, columns+"id = ?"), prepare(writer, columns+"id = ?")
	addPet = prepare(writer, "INSERT INTO pets (name, category_id, status, name_key) VALUES (?, ?, ?, ?)")
	findHolder = prepare(writer, "SELECT id FROM orders WHERE pet_id = ? AND status IN ('placed', 'approved')")
	setStatus = prepare(writer, "UPDATE pets SET status = ?, version = version + 1 WHERE id = ?")
	setPet = prepare(writer, "UPDATE pets SET name = ?, category_id = ?, status = ?, name_key = ?, version = version + 1 WHERE id = ?")
	addOrder = prepare(writer, `INSERT INTO orders (pet_id, status, created_at, updated_at, pet_name, pet_category_id)
		VALUES (?1, 'placed', ?2, ?2, ?3, ?4)`)
	countOrder = prepare(writer, "UPDATE inventory SET available = available - 1, pending = pending + 1, placed = placed + 1 WHERE shard = 0")
	for status := range statuses {
		count[status] = prepare(writer, fmt.Sprintf("UPDATE inventory SET %s = %s + ? WHERE shard = 0", status, status))
	}
	go commit(writer)

	http.HandleFunc("GET /v1/pets", handle(list))
	http.HandleFunc("POST /v1/pets", handle(create))
	http.HandleFunc("GET /v1/pets/{id}", handle(get))
	http.HandleFunc("PATCH /v1/pets/{id}", handle(change))
	http.HandleFunc("POST /v1/store/orders", handle(placeOrder))
	http.HandleFunc("/v1/", handle(func(*http.Request) answer {
		return refused(404, "not_found", "This path does not exist. See /docs for the paths.")
	}))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}

// commit runs the writes that wait in one transaction, and answers them after its sync.
func commit(writer *sql.DB) {
	for first := range jobs {
		batch := []job{first}
		for len(batch) < mostJobs && len(jobs) > 0 {
			batch = append(batch, <-jobs)
		}
		transaction, err := writer.BeginTx(context.Background(), nil)
		answers := make([]answer, len(batch))
		for i := 0; i < len(batch) && err == nil; i++ {
			answers[i], err = batch[i].work(transaction)
		}
		if err == nil {
			err = transaction.Commit()
		}
		if err != nil {
			log.Fatal(err)
		}
		revision.Add(1)
		pagesLock.Lock()
		clear(pages)
		pagesLock.Unlock()
		for i, each := range batch {
			each.done <- answers[i]
		}
	}
}

func write(work func(*sql.Tx) (answer, error)) answer {
	done := make(chan answer, 1)
	jobs <- job{work, done}
	return <-done
}

// handle authenticates a request, counts it, and sends what the operation returns.
func handle(operation func(*http.Request) answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		header := w.Header()
		id := r.Header.Get("X-Request-Id")
		if !ownID.MatchString(id) {
			id = newID()
		}
		header.Set("X-Request-Id", id)
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Content-Type", "application/json")
		var deprecated string
		if name, isPet := strings.CutPrefix(r.URL.Path, "/v1/pets/"); isPet && r.Method == "GET" {
			if number.MatchString(name) {
				name = "?ids=" + name
			} else {
				name = ""
			}
			deprecated = "<" + root + "/v1/pets" + name + `>; rel="successor-version", <` + root + `/docs/deprecation>; rel="deprecation"; type="text/html"`
			header.Set("Deprecation", "@1795132800")
			header.Set("Sunset", "Thu, 05 Dec 2030 00:00:00 GMT")
			header.Set("Link", deprecated)
		}
		sent := admit(r, header)
		if sent.status == 0 {
			sent = operation(r)
		}
		if sent.isRead {
			header.Set("Cache-Control", "private, no-cache")
			header.Set("Vary", "Authorization")
		} else {
			header.Set("Cache-Control", "no-store")
		}
		if sent.etag != "" {
			header["Etag"] = []string{sent.etag}
		}
		if sent.link != "" {
			header["Link"] = []string{sent.link}
		}
		if sent.location != "" {
			header["Location"] = []string{sent.location}
		}
		header.Set("Content-Length", strconv.Itoa(len(sent.body)))
		w.WriteHeader(sent.status)
		w.Write(sent.body)
	}
}

func newID() string {
	var id [16]byte
	rand.Read(id[:])
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	text := hex.EncodeToString(id[:])
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// admit adds the headers of the limits, and returns a refusal if there is one.
func admit(r *http.Request, header http.Header) answer {
	now := time.Now().UnixMilli()
	given := r.Header.Get("Authorization")
	isBearer := len(given) > 7 && strings.EqualFold(given[:7], "Bearer ")
	secret := ""
	if isBearer {
		secret = strings.TrimSpace(given[7:])
	}
	lock.Lock()
	defer lock.Unlock()
	if found := keyOf(secret, now); found != nil {
		return take(found.windows, header, now)
	}
	address, _, _ := net.SplitHostPort(r.RemoteAddr)
	if addresses[address] == nil {
		addresses[address] = &window{limit: anonymous, seconds: 60}
	}
	if isBearer {
		header.Set("WWW-Authenticate", `Bearer realm="petstore", error="invalid_token"`)
	} else {
		header.Set("WWW-Authenticate", `Bearer realm="petstore"`)
	}
	switch limited := take([]*window{addresses[address]}, header, now); {
	case limited.status != 0:
		return limited
	case !isBearer:
		return refused(401, "missing_api_key", "An API key is required. Send it in the header Authorization: Bearer <API_KEY>.")
	case hasForm(secret):
		return refused(401, "invalid_api_key", "This API key does not exist.")
	}
	return refused(401, "invalid_api_key", "This is not an API key of this service: its form or its checksum is wrong. Check that you copied the whole key.")
}

// keyOf looks the hash of a secret up again after a second. Its windows stay.
func keyOf(secret string, now int64) *key {
	known := keys[secret]
	if known != nil && now-known.readAt < 1_000 {
		return known
	}
	if !hasForm(secret) {
		return nil
	}
	hash := sha256.Sum256([]byte(secret))
	var perMinute, perDay int64
	if readKey.QueryRow(hex.EncodeToString(hash[:]), now).Scan(&perMinute, &perDay) != nil {
		delete(keys, secret)
		return nil
	}
	if known == nil {
		known = &key{windows: []*window{{seconds: 60}, {seconds: 86_400}}}
		keys[secret] = known
	}
	known.readAt = now
	known.windows[0].limit, known.windows[1].limit = perMinute, perDay
	return known
}

func hasForm(secret string) bool {
	if !form.MatchString(secret) {
		return false
	}
	remainder := crc32.ChecksumIEEE([]byte(secret[:43]))
	var text [6]byte
	for i := 5; i >= 0; i-- {
		text[i] = digits[remainder%62]
		remainder /= 62
	}
	return string(text[:]) == secret[43:]
}

// take counts a request in all windows, or in none if one is full.
func take(windows []*window, header http.Header, now int64) answer {
	shown, full := windows[0], (*window)(nil)
	for _, each := range windows {
		if now >= each.resetAt*1_000 {
			each.count, each.resetAt = 0, now/1_000+each.seconds
		}
		if each.count >= each.limit && (full == nil || each.resetAt >= full.resetAt) {
			full = each
		}
		left, least := each.limit-each.count, shown.limit-shown.count
		if left < least || left == least && each.resetAt >= shown.resetAt {
			shown = each
		}
	}
	if full != nil {
		shown = full
	}
	policy, remainders := make([]byte, 0, 80), make([]byte, 0, 80)
	for i, each := range windows {
		if full == nil {
			each.count++
		}
		name := `"minute"`
		if i == 1 {
			name = `, "day"`
		}
		policy = strconv.AppendInt(append(append(policy, name...), ";q="...), each.limit, 10)
		policy = strconv.AppendInt(append(policy, ";w="...), each.seconds, 10)
		remainders = strconv.AppendInt(append(append(remainders, name...), ";r="...), each.limit-each.count, 10)
		remainders = strconv.AppendInt(append(remainders, ";t="...), secondsUntil(each.resetAt, now), 10)
	}
	header["X-Ratelimit-Limit"] = []string{strconv.FormatInt(shown.limit, 10)}
	header["X-Ratelimit-Remaining"] = []string{strconv.FormatInt(shown.limit-shown.count, 10)}
	header["X-Ratelimit-Reset"] = []string{strconv.FormatInt(shown.resetAt, 10)}
	header["Ratelimit-Policy"] = []string{string(policy)}
	header["Ratelimit"] = []string{string(remainders)}
	if full == nil {
		return answer{}
	}
	header.Set("Retry-After", strconv.FormatInt(secondsUntil(full.resetAt, now), 10))
	if full.seconds > 60 {
		return refused(429, "quota_exceeded", "Too many requests in 24 hours. Wait for the seconds in Retry-After, or ask for a larger plan.")
	}
	return refused(429, "rate_limit_exceeded", "Too many requests this minute. Wait for the seconds in Retry-After, and back off exponentially.")
}

func secondsUntil(resetAt, now int64) int64 {
	return max(1, (resetAt*1_000-now+999)/1_000)
}

func list(r *http.Request) answer {
	query := r.URL.RawQuery
	pagesLock.Lock()
	kept, isKept := pages[query]
	pagesLock.Unlock()
	if isKept {
		return answer{status: 200, body: kept.body, etag: kept.etag, link: kept.link, isRead: true}
	}
	before := revision.Load()
	parameters, _ := url.ParseQuery(query)
	var problems []problem
	limit, after, status := 20, int64(0), ""
	if parameters.Has("limit") {
		value, err := strconv.Atoi(parameters.Get("limit"))
		if limit = value; err != nil || value < 1 || value > 100 {
			problems = append(problems, problem{"query", "limit", "must be an integer from 1 to 100"})
		}
	}
	if parameters.Has("status") {
		if status = parameters.Get("status"); statuses[status] == nil {
			problems = append(problems, problem{"query", "status", "must be one of available, pending, sold"})
		}
	}
	if parameters.Has("after") {
		value, err := strconv.ParseInt(parameters.Get("after"), 10, 64)
		if after = value; err != nil || value < 0 {
			problems = append(problems, problem{"query", "after", "must be the id of a pet: an integer from 0 to 9223372036854775807"})
		}
	}
	if problems != nil {
		return invalid("invalid_parameter", "Query parameter ", problems)
	}
	var rows *sql.Rows
	var err error
	filter := ""
	if status == "" {
		rows, err = readPage.Query(after, limit+1)
	} else {
		filter = "&status=" + status
		rows, err = readFiltered.Query(status, after, limit+1)
	}
	pets := make([]pet, 0, limit+1)
	for err == nil && rows.Next() {
		var each pet
		err = rows.Scan(&each.ID, &each.Name, &each.CategoryID, &each.Status, &each.version)
		pets = append(pets, each)
	}
	if err != nil {
		log.Fatal(err)
	}
	rows.Close()
	next := ""
	if len(pets) > limit {
		pets = pets[:limit]
		next = "limit=" + strconv.Itoa(limit) + filter + "&after=" + strconv.FormatInt(pets[limit-1].ID, 10)
	}
	found := page{body: textOf(pets)}
	hash := sha1.Sum(append(found.body, next...))
	found.etag = `"` + base64.RawURLEncoding.EncodeToString(hash[:]) + `"`
	if next != "" {
		found.link = "<" + root + "/v1/pets?" + next + `>; rel="next"`
	}
	pagesLock.Lock()
	if len(pages) == mostPages {
		clear(pages)
	}
	if revision.Load() == before {
		pages[query] = found
	}
	pagesLock.Unlock()
	return answer{status: 200, body: found.body, etag: found.etag, link: found.link, isRead: true}
}

func get(r *http.Request) answer {
	found := petOf(readPet, r.PathValue("id"))
	if found == nil {
		return noPet()
	}
	return answer{status: 200, body: textOf(found), etag: fmt.Sprintf(`"v%d"`, found.version), isRead: true}
}

func petOf(statement *sql.Stmt, id string) *pet {
	var found pet
	if !number.MatchString(id) || len(id) > 16 {
		return nil
	}
	wanted, _ := strconv.ParseInt(id, 10, 64)
	err := statement.QueryRow(wanted).Scan(&found.ID, &found.Name, &found.CategoryID, &found.Status, &found.version)
	if err != nil {
		return nil
	}
	return &found
}

func create(r *http.Request) answer {
	added := pet{Status: "available", version: 1}
	if wrong := read(r, "name, categoryId and optionally status", &added, true, false); wrong != nil {
		return *wrong
	}
	return write(func(transaction *sql.Tx) (answer, error) {
		result, err := transaction.Stmt(addPet).Exec(added.Name, added.CategoryID, added.Status, keyOfName(added.Name))
		if err != nil {
			return answer{}, err
		}
		added.ID, _ = result.LastInsertId()
		_, err = transaction.Stmt(count[added.Status]).Exec(1)
		location := fmt.Sprintf("%s/v1/pets/%d", root, added.ID)
		return answer{status: 201, body: textOf(added), etag: `"v1"`, location: location}, err
	})
}

func change(r *http.Request) answer {
	id := r.PathValue("id")
	text, _ := io.ReadAll(r.Body)
	if wrong := readText(text, "the fields to change: name, categoryId, status", &pet{}, false, false); wrong != nil {
		return *wrong
	}
	return write(func(transaction *sql.Tx) (answer, error) {
		before := petOf(transaction.Stmt(lockPet), id)
		if before == nil {
			return noPet(), nil
		}
		after := *before
		readText(text, "", &after, false, false)
		if after.Status != before.Status {
			var holder int64
			if transaction.Stmt(findHolder).QueryRow(before.ID).Scan(&holder) == nil {
				return refused(409, "pet_reserved", fmt.Sprintf("Order %d holds this pet. Deliver or cancel the order to change the pet's status or remove it.", holder)), nil
			}
			if allowed := statuses[before.Status]; !slices.Contains(allowed, after.Status) {
				return refused(409, "invalid_transition", fmt.Sprintf("A pet that is %s cannot become %s, only %s.", before.Status, after.Status, strings.Join(allowed, " or "))), nil
			}
			if _, err := transaction.Stmt(count[before.Status]).Exec(-1); err != nil {
				return answer{}, err
			}
			if _, err := transaction.Stmt(count[after.Status]).Exec(1); err != nil {
				return answer{}, err
			}
		}
		var err error
		isSame := after.Name == before.Name && after.CategoryID == before.CategoryID
		if !isSame || after.Status != before.Status {
			after.version++
		}
		if !isSame {
			_, err = transaction.Stmt(setPet).Exec(after.Name, after.CategoryID, after.Status, keyOfName(after.Name), after.ID)
		} else if after.Status != before.Status {
			_, err = transaction.Stmt(setStatus).Exec(after.Status, after.ID)
		}
		return answer{status: 200, body: textOf(after), etag: fmt.Sprintf(`"v%d"`, after.version)}, err
	})
}

func placeOrder(r *http.Request) answer {
	var wanted pet
	if wrong := read(r, "petId", &wanted, false, true); wrong != nil {
		return *wrong
	}
	return write(func(transaction *sql.Tx) (answer, error) {
		found := petOf(transaction.Stmt(lockPet), strconv.FormatInt(wanted.ID, 10))
		if found == nil {
			return noPet(), nil
		}
		if found.Status != "available" {
			return refused(409, "pet_not_available", "This pet is "+found.Status+". Only an available pet can be ordered."), nil
		}
		now := time.Now().UTC()
		result, err := transaction.Stmt(addOrder).Exec(found.ID, now.UnixMilli(), found.Name, found.CategoryID)
		if err != nil {
			return answer{}, err
		}
		if _, err = transaction.Stmt(setStatus).Exec("pending", found.ID); err != nil {
			return answer{}, err
		}
		_, err = transaction.Stmt(countOrder).Exec()
		id, _ := result.LastInsertId()
		at := now.Format("2006-01-02T15:04:05.000Z")
		placed := order{id, found.ID, snapshot{found.Name, found.CategoryID}, "placed", at, at}
		return answer{status: 201, body: textOf(placed), etag: `"v1"`, location: fmt.Sprintf("%s/v1/store/orders/%d", root, id)}, err
	})
}

func read(r *http.Request, content string, into *pet, isNew, isOrder bool) *answer {
	text, _ := io.ReadAll(r.Body)
	return readText(text, content, into, isNew, isOrder)
}

// readText reads a new pet, a change or an order from a body, and returns a refusal if it is none.
func readText(text []byte, content string, into *pet, isNew, isOrder bool) *answer {
	if len(text) == 0 {
		return pointer(refused(400, "invalid_json", "The request body is empty."))
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(text, &fields); err != nil || fields == nil {
		if json.Valid(text) {
			return pointer(invalid("validation_failed", "", []problem{{"body", "", "must be a JSON object with " + content}}))
		}
		return pointer(refused(400, "invalid_json", "The request body is not valid JSON."))
	}
	var problems []problem
	add := func(field, text string) { problems = append(problems, problem{"body", field, text}) }
	readInteger := func(field string, target *int64, isRequired bool) {
		if value, isGiven := fields[field]; isGiven {
			if !integer(value, target) {
				add(field, int64s)
			}
		} else if isRequired {
			add(field, "is required")
		}
	}
	if isOrder {
		readInteger("petId", &into.ID, true)
	} else {
		if value, isGiven := fields["name"]; isGiven {
			if json.Unmarshal(value, &into.Name) != nil || value[0] != '"' {
				add("name", "must be a string")
			} else if !isName(into.Name) {
				add("name", "must be 1 to 255 characters, not blank, without control characters or lone surrogates")
			}
		} else if isNew {
			add("name", "is required")
		}
		readInteger("categoryId", &into.CategoryID, isNew)
		if value, isGiven := fields["status"]; isGiven {
			if json.Unmarshal(value, &into.Status) != nil || value[0] != '"' || statuses[into.Status] == nil {
				add("status", "must be one of available, pending, sold")
			}
		}
	}
	if problems == nil {
		return nil
	}
	return pointer(invalid("validation_failed", "", problems))
}

// integer reads an int64, also one such as 1e2.
func integer(text json.RawMessage, into *int64) bool {
	value, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil {
		fraction, err := strconv.ParseFloat(string(text), 64)
		if value = int64(fraction); err != nil || float64(value) != fraction || fraction >= 1<<63 {
			return false
		}
	}
	*into = value
	return true
}

func isName(name string) bool {
	if strings.TrimSpace(name) == "" || utf8.RuneCountInString(name) > 255 {
		return false
	}
	return strings.IndexFunc(name, unicode.IsControl) < 0
}

// keyOfName: names that differ in case have the same.
func keyOfName(name string) string {
	return strings.ToLower(norm.NFKC.String(name))
}

func textOf(value any) []byte {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		log.Fatal(err)
	}
	return []byte(strings.TrimSuffix(text.String(), "\n"))
}

func invalid(code, prefix string, problems []problem) answer {
	var sentences []string
	for _, each := range problems {
		what := prefix + each.Field
		if each.Field == "" {
			what = "The body"
		}
		sentences = append(sentences, what+" "+each.Problem+".")
	}
	return answer{status: 400, body: textOf(refusal{code, strings.Join(sentences, " "), 400, problems})}
}

func refused(status int, code, message string) answer {
	return answer{status: status, body: textOf(refusal{Code: code, Message: message, Status: status})}
}

func noPet() answer {
	return refused(404, "pet_not_found", "There is no pet with this id.")
}

func pointer(value answer) *answer { return &value }
