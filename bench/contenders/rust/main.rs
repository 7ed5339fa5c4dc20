//! The service's work on axum and rusqlite. One core: one thread answers requests, another one writes.
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Path, RawQuery, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header::HeaderName};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use axum::routing::{get, post};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use rusqlite::{Connection, OptionalExtension, Row, Statement, TransactionBehavior, params};
use serde::Serialize;
use serde_json::{Map, Value};
use sha1::{Digest, Sha1};
use sha2::Sha256;
use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{SystemTime, UNIX_EPOCH};
use tokio::sync::oneshot;
use unicode_normalization::UnicodeNormalization;

const DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const ANONYMOUS: i64 = 300;
const MOST_PAGES: usize = 1_000;
const MOST_JOBS: usize = 256;
const INT64: &str = "must be an integer from -9223372036854775808 to 9223372036854775807";
const ONE_OF: &str = "must be one of available, pending, sold";
const COLUMNS: &str = "SELECT id, name, category_id, status, version FROM pets NOT INDEXED WHERE";

#[derive(Serialize, Clone)]
#[serde(rename_all = "camelCase")]
struct Pet {
    id: i64,
    name: String,
    category_id: i64,
    status: String,
    #[serde(skip)]
    version: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Snapshot<'a> {
    name: &'a str,
    category_id: i64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Order<'a> {
    id: i64,
    pet_id: i64,
    pet: Snapshot<'a>,
    status: &'a str,
    created_at: &'a str,
    updated_at: &'a str,
}

#[derive(Serialize)]
struct Problem {
    r#in: &'static str,
    field: &'static str,
    problem: &'static str,
}

#[derive(Serialize)]
struct Refusal<'a> {
    code: &'a str,
    message: &'a str,
    status: u16,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    details: Vec<Problem>,
}

#[derive(Default)]
struct Window {
    count: i64,
    limit: i64,
    seconds: i64,
    reset_at: i64,
}

struct Key {
    windows: Vec<Window>,
    read_at: i64,
}

/// What an operation returns. Reads have the headers of caching, creations a location.
#[derive(Default, Clone)]
struct Answer {
    status: u16,
    body: Bytes,
    etag: String,
    link: String,
    location: String,
    is_read: bool,
}

type Work = Box<dyn FnOnce(&Connection) -> rusqlite::Result<Answer> + Send>;
type Job = (Work, oneshot::Sender<Answer>);

struct Shop {
    root: String,
    reader: Mutex<Connection>,
    keys: Mutex<HashMap<String, Key>>,
    addresses: Mutex<HashMap<IpAddr, Vec<Window>>>,
    pages: Mutex<HashMap<String, Answer>>,
    revision: AtomicI64,
    jobs: mpsc::Sender<Job>,
}
type Shared = State<Arc<Shop>>;

fn open(path: &str) -> Connection {
    let connection = Connection::open(path).expect("the database opens");
    connection.set_prepared_statement_cache_capacity(64);
    let settings = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -8192";
    connection.execute_batch(settings).expect("the settings are accepted");
    connection
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let (port, path) = (&arguments[1], &arguments[2]);
    let (jobs, waiting) = mpsc::channel();
    let shop = Arc::new(Shop {
        root: format!("http://127.0.0.1:{port}"),
        reader: Mutex::new(open(path)),
        keys: Mutex::default(),
        addresses: Mutex::default(),
        pages: Mutex::default(),
        revision: AtomicI64::new(0),
        jobs,
    });
    let (writer, owner) = (open(path), shop.clone());
    std::thread::spawn(move || commit(writer, waiting, &owner));
    let app = axum::Router::new()
        .route("/v1/pets", get(list).post(create))
        .route("/v1/pets/{id}", get(pet).patch(change))
        .route("/v1/store/orders", post(order))
        .fallback(async || response(refused(404, "not_found", "This path does not exist. See /docs for the paths.")))
        .layer(from_fn_with_state(shop.clone(), admit))
        .with_state(shop)
        .into_make_service_with_connect_info::<SocketAddr>();
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("the port is free");
    axum::serve(axum::serve::ListenerExt::tap_io(listener, |socket| socket.set_nodelay(true).unwrap()), app)
        .await
        .unwrap();
}

/// Runs the writes that wait in one transaction, and answers them after its sync.
fn commit(mut writer: Connection, waiting: mpsc::Receiver<Job>, shop: &Shop) {
    while let Ok(first) = waiting.recv() {
        let batch: Vec<Job> = std::iter::once(first).chain(waiting.try_iter().take(MOST_JOBS - 1)).collect();
        let transaction = writer.transaction_with_behavior(TransactionBehavior::Immediate).unwrap();
        let answers: Vec<_> = batch.into_iter().map(|(work, done)| (work(&transaction).unwrap(), done)).collect();
        transaction.commit().unwrap();
        shop.revision.fetch_add(1, Ordering::SeqCst);
        shop.pages.lock().unwrap().clear();
        for (answer, done) in answers {
            let _ = done.send(answer);
        }
    }
}

async fn write(shop: &Shop, work: impl FnOnce(&Connection) -> rusqlite::Result<Answer> + Send + 'static) -> Response {
    let (done, answer) = oneshot::channel();
    shop.jobs.send((Box::new(work), done)).unwrap();
    response(answer.await.unwrap())
}

fn response(answer: Answer) -> Response {
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap();
    let headers = response.headers_mut();
    headers.insert("content-type", HeaderValue::from_static("application/json"));
    let caching = if answer.is_read { "private, no-cache" } else { "no-store" };
    headers.insert("cache-control", HeaderValue::from_static(caching));
    if answer.is_read {
        headers.insert("vary", HeaderValue::from_static("Authorization"));
    }
    for (name, value) in [("etag", answer.etag), ("link", answer.link), ("location", answer.location)] {
        if !value.is_empty() {
            headers.insert(name, HeaderValue::from_maybe_shared(Bytes::from(value)).unwrap());
        }
    }
    response
}

/// Authenticates a request, counts it, and adds the headers that each answer has.
async fn admit(
    State(shop): Shared,
    ConnectInfo(peer): ConnectInfo<SocketAddr>,
    request: Request,
    next: Next,
) -> Response {
    let path = request.uri().path();
    if !path.starts_with("/v1/") {
        return next.run(request).await;
    }
    let mut own: Vec<(&'static str, String)> = vec![("x-content-type-options", "nosniff".into())];
    let given = request.headers().get("x-request-id").and_then(|id| id.to_str().ok());
    let is_valid = |id: &&str| {
        (1..=128).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
    };
    own.push(("x-request-id", given.filter(is_valid).map_or_else(new_id, str::to_string)));
    if let Some(id) = path.strip_prefix("/v1/pets/").filter(|_| request.method() == Method::GET) {
        let (root, query) = (&shop.root, if is_number(id) { format!("?ids={id}") } else { String::new() });
        own.push(("deprecation", "@1795132800".into()));
        own.push(("sunset", "Thu, 05 Dec 2030 00:00:00 GMT".into()));
        own.push(("link", format!("<{root}/v1/pets{query}>; rel=\"successor-version\", <{root}/docs/deprecation>; rel=\"deprecation\"; type=\"text/html\"")));
    }
    let refusal = refusal(&shop, peer.ip(), request.headers(), &mut own);
    let mut response = match refusal {
        Some(answer) => response(answer),
        None => next.run(request).await,
    };
    for (name, value) in own {
        let value = HeaderValue::from_maybe_shared(Bytes::from(value)).unwrap();
        response.headers_mut().insert(HeaderName::from_static(name), value);
    }
    response
}

fn new_id() -> String {
    let mut id = [0u8; 16];
    getrandom::fill(&mut id).unwrap();
    let n = u128::from_be_bytes(id) & !(0xf << 76) & !(0x3 << 62) | (0x4 << 76) | (0x2 << 62);
    let text = format!("{n:032x}");
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64
}

fn refusal(shop: &Shop, peer: IpAddr, headers: &HeaderMap, own: &mut Vec<(&'static str, String)>) -> Option<Answer> {
    let now = now();
    let given = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or("");
    let secret = given.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("bearer ")).map(|_| given[7..].trim());
    if let Some(secret) = secret {
        let mut keys = shop.keys.lock().unwrap();
        if is_live(shop, &mut keys, secret, now) {
            return take(&mut keys.get_mut(secret).unwrap().windows, own, now);
        }
    }
    let mut addresses = shop.addresses.lock().unwrap();
    let window = || vec![Window { limit: ANONYMOUS, seconds: 60, ..Window::default() }];
    let limited = take(addresses.entry(peer).or_insert_with(window), own, now);
    let error = if secret.is_some() { ", error=\"invalid_token\"" } else { "" };
    own.push(("www-authenticate", format!("Bearer realm=\"petstore\"{error}")));
    limited.or_else(|| {
        Some(match secret {
            None => refused(401, "missing_api_key", "An API key is required. Send it in the header Authorization: Bearer <API_KEY>."),
            Some(secret) if has_form(secret) => refused(401, "invalid_api_key", "This API key does not exist."),
            _ => refused(401, "invalid_api_key", "This is not an API key of this service: its form or its checksum is wrong. Check that you copied the whole key."),
        })
    })
}

/// Whether a secret is that of a key, of which the hash is looked up again after a second. Its windows stay.
fn is_live(shop: &Shop, keys: &mut HashMap<String, Key>, secret: &str, now: i64) -> bool {
    if keys.get(secret).is_some_and(|key| now - key.read_at < 1_000) {
        return true;
    }
    if !has_form(secret) {
        return false;
    }
    let reader = shop.reader.lock().unwrap();
    let hash: String = Sha256::digest(secret).iter().map(|byte| format!("{byte:02x}")).collect();
    let text = "SELECT per_minute, per_day FROM secrets JOIN keys ON keys.id = key_id
        WHERE hash = ?1 AND revoked_at IS NULL AND disabled_at IS NULL
          AND coalesce(keys.expires_at > ?2, TRUE) AND coalesce(secrets.expires_at > ?2, TRUE)";
    let limits =
        reader.prepare_cached(text).unwrap().query_row(params![hash, now], |row| Ok([row.get(0)?, row.get(1)?]));
    let Some(limits) = limits.optional().unwrap() else {
        keys.remove(secret);
        return false;
    };
    let windows = || [60, 86_400].map(|seconds| Window { seconds, ..Window::default() }).into();
    let key = keys.entry(secret.into()).or_insert_with(|| Key { windows: windows(), read_at: now });
    key.read_at = now;
    for (window, limit) in key.windows.iter_mut().zip(limits) {
        window.limit = limit;
    }
    true
}

fn has_form(secret: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric();
    let bytes = secret.as_bytes();
    if bytes.len() != 49 || !secret.starts_with("pets_live_") || bytes[42] != b'_' {
        return false;
    }
    if !bytes[10..42].iter().all(is_digit) || !bytes[43..].iter().all(is_digit) {
        return false;
    }
    let mut remainder = crc32fast::hash(&bytes[..43]) as usize;
    bytes[43..].iter().rev().all(|digit| {
        let is_right = DIGITS[remainder % 62] == *digit;
        remainder /= 62;
        is_right
    })
}

/// Counts a request in all windows, or in none if one is full.
fn take(windows: &mut [Window], own: &mut Vec<(&'static str, String)>, now: i64) -> Option<Answer> {
    let (mut shown, mut full) = (0, None);
    for i in 0..windows.len() {
        let window = &mut windows[i];
        if now >= window.reset_at * 1_000 {
            (window.count, window.reset_at) = (0, now / 1_000 + window.seconds);
        }
        let (window, other) = (&windows[i], &windows[shown]);
        if window.count >= window.limit && full.is_none_or(|full: usize| window.reset_at >= windows[full].reset_at) {
            full = Some(i);
        }
        let (left, least) = (window.limit - window.count, other.limit - other.count);
        if left < least || left == least && window.reset_at >= other.reset_at {
            shown = i;
        }
    }
    let (mut policy, mut remainders) = (String::with_capacity(80), String::with_capacity(80));
    for (i, window) in windows.iter_mut().enumerate() {
        window.count += i64::from(full.is_none());
        let Window { count, limit, seconds, reset_at } = window;
        let name = ["\"minute\"", ", \"day\""][i];
        use std::fmt::Write;
        write!(policy, "{name};q={limit};w={seconds}").unwrap();
        write!(remainders, "{name};r={};t={}", *limit - *count, seconds_until(*reset_at, now)).unwrap();
    }
    let window = &windows[full.unwrap_or(shown)];
    own.push(("x-ratelimit-limit", window.limit.to_string()));
    own.push(("x-ratelimit-remaining", (window.limit - window.count).to_string()));
    own.push(("x-ratelimit-reset", window.reset_at.to_string()));
    own.push(("ratelimit-policy", policy));
    own.push(("ratelimit", remainders));
    full?;
    own.push(("retry-after", seconds_until(window.reset_at, now).to_string()));
    Some(if window.seconds > 60 {
        refused(
            429,
            "quota_exceeded",
            "Too many requests in 24 hours. Wait for the seconds in Retry-After, or ask for a larger plan.",
        )
    } else {
        refused(
            429,
            "rate_limit_exceeded",
            "Too many requests this minute. Wait for the seconds in Retry-After, and back off exponentially.",
        )
    })
}

fn seconds_until(reset_at: i64, now: i64) -> i64 {
    1.max((reset_at * 1_000 - now + 999) / 1_000)
}

async fn list(State(shop): Shared, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    if let Some(answer) = shop.pages.lock().unwrap().get(&query) {
        return response(answer.clone());
    }
    let before = shop.revision.load(Ordering::SeqCst);
    let (mut limit, mut after, mut status, mut problems) = (20, 0, None, Vec::new());
    let mut add = |field, problem| problems.push(Problem { r#in: "query", field, problem });
    for (name, value) in query.split('&').filter_map(|parameter| parameter.split_once('=')) {
        match (name, value.parse::<i64>()) {
            ("limit", Ok(number @ 1..=100)) => limit = number as usize,
            ("limit", _) => add("limit", "must be an integer from 1 to 100"),
            ("after", Ok(number @ 0..)) => after = number,
            ("after", _) => add("after", "must be the id of a pet: an integer from 0 to 9223372036854775807"),
            ("status", _) if next_statuses(value).is_some() => status = Some(value),
            ("status", _) => add("status", ONE_OF),
            _ => (),
        }
    }
    if !problems.is_empty() {
        return response(invalid("invalid_parameter", "Query parameter ", problems));
    }
    let mut pets = read_page(&shop.reader.lock().unwrap(), status, after, limit).unwrap();
    let mut next = String::new();
    if pets.len() > limit {
        pets.truncate(limit);
        let filter = status.map(|status| format!("&status={status}")).unwrap_or_default();
        next = format!("limit={limit}{filter}&after={}", pets[limit - 1].id);
    }
    let body = serde_json::to_vec(&pets).unwrap();
    let hash = Sha1::new().chain_update(&body).chain_update(&next).finalize();
    let answer = Answer {
        status: 200,
        etag: format!("\"{}\"", URL_SAFE_NO_PAD.encode(hash)),
        link: if next.is_empty() { next } else { format!("<{}/v1/pets?{next}>; rel=\"next\"", shop.root) },
        body: body.into(),
        is_read: true,
        ..Answer::default()
    };
    let mut pages = shop.pages.lock().unwrap();
    if pages.len() == MOST_PAGES {
        pages.clear();
    }
    if shop.revision.load(Ordering::SeqCst) == before {
        pages.insert(query, answer.clone());
    }
    response(answer)
}

fn read_page(reader: &Connection, status: Option<&str>, after: i64, limit: usize) -> rusqlite::Result<Vec<Pet>> {
    let rows =
        |statement: &mut Statement, values: &[&dyn rusqlite::ToSql]| statement.query_map(values, pet_of)?.collect();
    match status {
        None => rows(
            &mut *reader.prepare_cached(&format!("{COLUMNS} id > ? ORDER BY id LIMIT ?"))?,
            params![after, limit + 1],
        ),
        Some(status) => {
            let text = format!("{COLUMNS} status = ? AND id > ? ORDER BY id LIMIT ?");
            rows(&mut *reader.prepare_cached(&text)?, params![status, after, limit + 1])
        }
    }
}

fn pet_of(row: &Row) -> rusqlite::Result<Pet> {
    Ok(Pet { id: row.get(0)?, name: row.get(1)?, category_id: row.get(2)?, status: row.get(3)?, version: row.get(4)? })
}

fn find(connection: &Connection, id: &str) -> rusqlite::Result<Option<Pet>> {
    if !is_number(id) || id.len() > 16 {
        return Ok(None);
    }
    let mut statement = connection
        .prepare_cached("SELECT id, name, category_id, status, version FROM pets NOT INDEXED WHERE id = ?")?;
    statement.query_row([id.parse::<i64>().unwrap()], pet_of).optional()
}

fn is_number(id: &str) -> bool {
    !id.is_empty() && !id.starts_with('0') && id.bytes().all(|byte| byte.is_ascii_digit())
}

async fn pet(State(shop): Shared, Path(id): Path<String>) -> Response {
    response(match find(&shop.reader.lock().unwrap(), &id).unwrap() {
        None => no_pet(),
        Some(pet) => Answer {
            status: 200,
            body: text_of(&pet),
            etag: format!("\"v{}\"", pet.version),
            is_read: true,
            ..Answer::default()
        },
    })
}

async fn create(State(shop): Shared, text: Bytes) -> Response {
    let mut pet = Pet { id: 0, name: String::new(), category_id: 0, status: "available".into(), version: 1 };
    let fields = match object_in(&text, "The body must be a JSON object with name, categoryId and optionally status.") {
        Ok(fields) => fields,
        Err(answer) => return response(answer),
    };
    if let Some(answer) = apply(&fields, &mut pet, true) {
        return response(answer);
    }
    let root = shop.root.clone();
    write(&shop, move |database| {
        let Pet { name, category_id, status, .. } = &pet;
        let text = "INSERT INTO pets (name, category_id, status, name_key) VALUES (?, ?, ?, ?)";
        pet.id = database.prepare_cached(text)?.insert(params![name, category_id, status, key_of(name)])?;
        count(database, &pet.status, 1)?;
        let location = format!("{root}/v1/pets/{}", pet.id);
        Ok(Answer { status: 201, body: text_of(&pet), etag: "\"v1\"".into(), location, ..Answer::default() })
    })
    .await
}

async fn change(State(shop): Shared, Path(id): Path<String>, text: Bytes) -> Response {
    let fields =
        match object_in(&text, "The body must be a JSON object with the fields to change: name, categoryId, status.") {
            Ok(fields) => fields,
            Err(answer) => return response(answer),
        };
    let mut any = Pet { id: 0, name: String::new(), category_id: 0, status: String::new(), version: 0 };
    if let Some(answer) = apply(&fields, &mut any, false) {
        return response(answer);
    }
    write(&shop, move |database| {
        let Some(before) = find(database, &id)? else { return Ok(no_pet()) };
        let mut after = before.clone();
        apply(&fields, &mut after, false);
        let (has_status, is_same) = (after.status != before.status, after.name == before.name && after.category_id == before.category_id);
        if has_status {
            let text = "SELECT id FROM orders WHERE pet_id = ? AND status IN ('placed', 'approved')";
            let holder: Option<i64> = database.prepare_cached(text)?.query_row([before.id], |row| row.get(0)).optional()?;
            if let Some(order) = holder {
                let message = format!("Order {order} holds this pet. Deliver or cancel the order to change the pet's status or remove it.");
                return Ok(refused(409, "pet_reserved", &message));
            }
            let allowed = next_statuses(&before.status).unwrap_or_default();
            if !allowed.contains(&after.status.as_str()) {
                let message = format!("A pet that is {} cannot become {}, only {}.", before.status, after.status, allowed.join(" or "));
                return Ok(refused(409, "invalid_transition", &message));
            }
            count(database, &before.status, -1)?;
            count(database, &after.status, 1)?;
        }
        after.version += i64::from(has_status || !is_same);
        if !is_same {
            let text = "UPDATE pets SET name = ?, category_id = ?, status = ?, name_key = ?, version = version + 1 WHERE id = ?";
            let Pet { id, name, category_id, status, .. } = &after;
            database.prepare_cached(text)?.execute(params![name, category_id, status, key_of(name), id])?;
        } else if has_status {
            set_status(database, after.id, &after.status)?;
        }
        Ok(Answer { status: 200, body: text_of(&after), etag: format!("\"v{}\"", after.version), ..Answer::default() })
    })
    .await
}

async fn order(State(shop): Shared, text: Bytes) -> Response {
    let fields = match object_in(&text, "The body must be a JSON object with petId.") {
        Ok(fields) => fields,
        Err(answer) => return response(answer),
    };
    let wanted = match fields.get("petId").map(integer) {
        Some(Some(id)) => id,
        given => {
            let problem = if given.is_none() { "is required" } else { INT64 };
            return response(invalid("validation_failed", "", vec![Problem { r#in: "body", field: "petId", problem }]));
        }
    };
    let root = shop.root.clone();
    write(&shop, move |database| {
        let Some(pet) = find(database, &wanted.to_string())? else { return Ok(no_pet()) };
        if pet.status != "available" {
            let message = format!("This pet is {}. Only an available pet can be ordered.", pet.status);
            return Ok(refused(409, "pet_not_available", &message));
        }
        let time = chrono::Utc::now();
        let text = "INSERT INTO orders (pet_id, status, created_at, updated_at, pet_name, pet_category_id)
            VALUES (?1, 'placed', ?2, ?2, ?3, ?4)";
        let values = params![pet.id, time.timestamp_millis(), pet.name, pet.category_id];
        let id = database.prepare_cached(text)?.insert(values)?;
        set_status(database, pet.id, "pending")?;
        let text = "UPDATE inventory SET available = available - 1, pending = pending + 1, placed = placed + 1 WHERE shard = 0";
        database.prepare_cached(text)?.execute([])?;
        let at = &time.to_rfc3339_opts(chrono::SecondsFormat::Millis, true);
        let snapshot = Snapshot { name: &pet.name, category_id: pet.category_id };
        let order = Order { id, pet_id: pet.id, pet: snapshot, status: "placed", created_at: at, updated_at: at };
        let location = format!("{root}/v1/store/orders/{id}");
        Ok(Answer { status: 201, body: text_of(&order), etag: "\"v1\"".into(), location, ..Answer::default() })
    })
    .await
}

fn set_status(database: &Connection, id: i64, status: &str) -> rusqlite::Result<usize> {
    database
        .prepare_cached("UPDATE pets SET status = ?, version = version + 1 WHERE id = ?")?
        .execute(params![status, id])
}

fn count(database: &Connection, status: &str, change: i64) -> rusqlite::Result<usize> {
    database.prepare_cached(&format!("UPDATE inventory SET {status} = {status} + ? WHERE shard = 0"))?.execute([change])
}

fn next_statuses(status: &str) -> Option<&'static [&'static str]> {
    match status {
        "available" => Some(&["pending", "sold"]),
        "pending" => Some(&["available", "sold"]),
        "sold" => Some(&["available"]),
        _ => None,
    }
}

fn object_in(text: &[u8], problem: &'static str) -> Result<Map<String, Value>, Answer> {
    match serde_json::from_slice(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => {
            let problem = problem.strip_prefix("The body ").unwrap().trim_end_matches('.');
            Err(invalid("validation_failed", "", vec![Problem { r#in: "body", field: "", problem }]))
        }
        Err(_) if text.is_empty() => Err(refused(400, "invalid_json", "The request body is empty.")),
        Err(_) => Err(refused(400, "invalid_json", "The request body is not valid JSON.")),
    }
}

/// Sets the fields of a body. A new pet needs its name and its category.
fn apply(fields: &Map<String, Value>, pet: &mut Pet, is_new: bool) -> Option<Answer> {
    let mut problems = Vec::new();
    let mut add = |field, problem| problems.push(Problem { r#in: "body", field, problem });
    match fields.get("name") {
        None if is_new => add("name", "is required"),
        None => (),
        Some(Value::String(name)) if is_name(name) => pet.name.clone_from(name),
        Some(Value::String(_)) => {
            add("name", "must be 1 to 255 characters, not blank, without control characters or lone surrogates")
        }
        _ => add("name", "must be a string"),
    }
    match fields.get("categoryId").map(integer) {
        None if is_new => add("categoryId", "is required"),
        None => (),
        Some(Some(id)) => pet.category_id = id,
        _ => add("categoryId", INT64),
    }
    match fields.get("status") {
        None => (),
        Some(Value::String(status)) if next_statuses(status).is_some() => pet.status.clone_from(status),
        _ => add("status", ONE_OF),
    }
    (!problems.is_empty()).then(|| invalid("validation_failed", "", problems))
}

/// Reads an int64, also one such as 1e2.
fn integer(value: &Value) -> Option<i64> {
    let fits = |number: &f64| number.fract() == 0.0 && *number >= -(2f64.powi(63)) && *number < 2f64.powi(63);
    value.as_i64().or_else(|| value.as_f64().filter(fits).map(|number| number as i64))
}

fn is_name(name: &str) -> bool {
    !name.trim().is_empty() && name.chars().count() <= 255 && !name.chars().any(char::is_control)
}

/// Names that differ in case have the same.
fn key_of(name: &str) -> String {
    name.nfkc().collect::<String>().to_lowercase()
}

fn text_of(value: &impl Serialize) -> Bytes {
    serde_json::to_vec(value).unwrap().into()
}

fn invalid(code: &str, prefix: &str, details: Vec<Problem>) -> Answer {
    let sentence = |Problem { field, problem, .. }: &Problem| match *field {
        "" => format!("The body {problem}."),
        _ => format!("{prefix}{field} {problem}."),
    };
    let message = details.iter().map(sentence).collect::<Vec<_>>().join(" ");
    Answer {
        status: 400,
        body: text_of(&Refusal { code, message: &message, status: 400, details }),
        ..Answer::default()
    }
}

fn refused(status: u16, code: &str, message: &str) -> Answer {
    Answer { status, body: text_of(&Refusal { code, message, status, details: Vec::new() }), ..Answer::default() }
}

fn no_pet() -> Answer {
    refused(404, "pet_not_found", "There is no pet with this id.")
}
