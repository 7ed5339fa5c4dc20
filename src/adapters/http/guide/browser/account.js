// What a key may do, what it has used, and which of its requests were refused. The key is in a variable of this page alone: it is
// neither stored nor part of a URL, and no response is cached.

/** @typedef {{ limit: number, used: number, remaining: number, resetAt: string | null }} Window */
/** @typedef {{ at: string, requests: number, byClass: Record<string, number> }} Point */
/**
 * @typedef {object} Key
 * @property {string} id
 * @property {string} name
 * @property {string} plan
 * @property {string[]} scopes
 * @property {string} createdAt
 * @property {string | null} expiresAt
 * @property {string | null} lastUsedAt
 * @property {string} lastFour
 * @property {{ lastFour: string, expiresAt: string }[]} earlierSecrets
 * @property {{ until: string } | null} ban
 * @property {{ operation: string, calls: number, lastCalledAt: string, removedAt: string, replacement: string }[]} deprecatedCalls
 * @property {Point[]} last30Days
 */
/** @typedef {{ minute: Window, day: Window, strikes: number, last24Hours: Point[] }} Usage */
/**
 * @typedef {object} PastRequest
 * @property {string} id
 * @property {string} requestId
 * @property {string} at
 * @property {string} method
 * @property {string} path
 * @property {number} status
 * @property {{ code: string, message: string } | null} error
 */

const PAGE = 20;
const PATH = "/v1/key";

let secret = "";
/** The same for each attempt at one rotation, so that a lost response loses no secret. */
let rotation = "";

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Partial<HTMLElementTagNameMap[Name]>} properties
 * @param {(Node | string)[]} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

/** @param {string} text */
const code = (text) => element("code", { textContent: text });
/**
 * @param {string | null} at
 * @param {string} without
 * @param {Intl.DateTimeFormatOptions} format
 */
const time = (at, without = "none", format = { dateStyle: "medium", timeStyle: "medium" }) =>
  at === null ? without : element("time", { dateTime: at, textContent: new Date(at).toLocaleString([], format) });
/** @param {number} count */
const written = (count) => count.toLocaleString();

/** @typedef {(Node | string)[]} Cells */

/**
 * A table that scrolls by itself where the window is narrow.
 * @param {string} name
 * @param {string[]} head
 * @param {Cells[]} rows
 */
function table(name, head, rows) {
  const cells = head.map((text) => element("th", { scope: "col", textContent: text }));
  const body = rows.map((row) => element("tr", {}, ...row.map((cell) => element("td", {}, cell))));
  const made = element(
    "table",
    { ariaLabel: name },
    element("thead", {}, element("tr", {}, ...cells)),
    element("tbody", {}, ...body),
  );
  return element("div", { className: "table", tabIndex: 0, role: "region", ariaLabel: name }, made);
}

/**
 * @param {string} path
 * @param {RequestInit} options
 * @returns {Promise<any>}
 * @throws {Error} what went wrong, and what to do
 */
async function call(path, options = {}) {
  const headers = new Headers({ ...options.headers, Authorization: `Bearer ${secret}` });
  const response = await fetch(path, { ...options, headers, cache: "no-store" });
  const body = await response.json();
  if (response.ok) return body;
  const wait = response.headers.get("Retry-After");
  throw new Error(`${body.message} (${body.code})${wait === null ? "" : ` Try again in ${wait} seconds.`}`);
}

/** @param {Key} key */
function keyTable({ name, id, plan, scopes, createdAt, expiresAt, lastUsedAt, lastFour, earlierSecrets, ban }) {
  const earlier = earlierSecrets.flatMap((one) => [", and until ", time(one.expiresAt), " …", code(one.lastFour)]);
  const banned = ban === null ? "none" : element("strong", {}, "until ", time(ban.until));
  return table(
    "Key",
    ["Property", "Value"],
    [
      ["Name", name],
      ["Id", code(id)],
      ["Plan", plan],
      ["Scopes", element("span", {}, ...scopes.flatMap((scope) => [code(scope), " "]))],
      ["Created", time(createdAt)],
      ["Expires", time(expiresAt, "never")],
      ["Last used", time(lastUsedAt, "never")],
      ["Secrets that work", element("span", {}, "…", code(lastFour), ...earlier)],
      ["Ban", banned],
    ],
  );
}

/** @param {Usage} usage */
function limits({ minute, day, strikes }) {
  /** @param {string} name @param {Window} window @returns {Cells} */
  const row = (name, { limit, used, remaining, resetAt }) => [
    name,
    written(limit),
    written(used),
    written(remaining),
    time(resetAt, "not open: the next request opens it"),
  ];
  return [
    table(
      "Limits",
      ["Window", "Limit", "Used", "Remaining", "Ends"],
      [row("60 seconds", minute), row("24 hours", day)],
    ),
    element(
      "p",
      {},
      `Strikes in the last ten minutes: ${strikes}. `,
      link("/docs/limits#bans", "What bans a key"),
      ".",
    ),
  ];
}

/** @param {string} href @param {string} text */
const link = (href, text) => element("a", { href, textContent: text });

/**
 * Requests by time: a picture, and the figures behind it.
 * @param {string} name
 * @param {Point[]} points
 * @param {Intl.DateTimeFormatOptions} format
 */
function usage(name, points, format) {
  const most = Math.max(1, ...points.map(({ requests }) => requests));
  const total = points.reduce((sum, { requests }) => sum + requests, 0);
  const rows = points.toReversed().map(({ at, requests, byClass }) => {
    const meter = element("meter", { max: most, value: requests, ariaLabel: `${requests} of ${most}` });
    const figures = ["2xx", "4xx", "429", "5xx"].map((status) => written(byClass[status] ?? 0));
    return [time(at, "", format), written(requests), meter, ...figures];
  });
  const shown = table(name, ["From", "Requests", "Share of the most", "2xx", "4xx", "429", "5xx"], rows);
  return element("details", {}, element("summary", { textContent: `${name}: ${written(total)} requests` }), shown);
}

/** @param {PastRequest[]} requests */
function refusals(requests) {
  return table(
    "Refused requests",
    ["Time", "Request", "Request id", "Error", "What it means"],
    requests.map(({ requestId, at, method, path, status, error }) => [
      time(at),
      code(`${method} ${path}`),
      code(requestId),
      element("span", {}, `${status} `, error === null ? "" : link(`/docs/errors#${error.code}`, error.code)),
      error?.message ?? "",
    ]),
  );
}

/** The refused requests, page by page. */
async function refusedRequests() {
  const place = element("div");
  const more = element("button", { type: "button", textContent: "Show older ones" });
  let before = "";
  const next = async () => {
    /** @type {PastRequest[]} */
    const page = await call(`${PATH}/requests?status=refused&limit=${PAGE}${before && `&before=${before}`}`);
    if (page.length > 0) place.append(refusals(page));
    else if (before === "") place.append(element("p", { textContent: "None that the service keeps." }));
    before = page.at(-1)?.id ?? "";
    more.hidden = page.length < PAGE;
  };
  more.addEventListener("click", () => attempt(next));
  await next();
  return [place, more];
}

/** @param {Key} key */
function deprecated({ deprecatedCalls }) {
  if (deprecatedCalls.length === 0) return element("p", { textContent: "The key calls none." });
  return table(
    "Deprecated operations",
    ["Operation", "Calls", "Last call", "Ends", "Call instead"],
    deprecatedCalls.map(({ operation, calls, lastCalledAt, removedAt, replacement }) => [
      link("/docs/deprecation", operation),
      written(calls),
      time(lastCalledAt),
      time(removedAt),
      code(replacement),
    ]),
  );
}

/** The form that gives the key a new secret. */
function rotationForm() {
  const grace = element("select", { id: "grace" });
  for (const [seconds, text] of /** @type {const} */ ([
    ["86400", "for 24 hours"],
    ["3600", "for an hour"],
    ["0", "no longer"],
  ])) {
    grace.append(new Option(text, seconds));
  }
  const made = element("output", { className: "secret" });
  const form = element(
    "form",
    { className: "account", ariaLabel: "Rotate" },
    element("label", { htmlFor: "grace", textContent: "The secret in use works" }),
    grace,
    element("button", { textContent: "Get a new secret" }),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void attempt(async () => {
      rotation ||= [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16)).join("-");
      const headers = { "Content-Type": "application/json", "Idempotency-Key": rotation };
      const body = JSON.stringify({ graceSeconds: Number(grace.value) });
      const { secret: added } = await call(`${PATH}/rotate`, { method: "POST", headers, body });
      secret = added;
      rotation = "";
      made.replaceChildren("The new secret. Copy it now: nothing shows it again. ", code(added));
      return "The key has a new secret.";
    });
  });
  return [
    element("p", { textContent: "The new secret is shown once. Limits, scopes and expiry stay." }),
    form,
    element("p", {}, made),
  ];
}

/** @param {string} text */
const heading = (text) => element("h2", { textContent: text });

const status = element("p", { role: "status" });
const shown = element("div");

/** Shows all that the service says about the key. */
async function show() {
  /** @type {[Key, Usage]} */
  const [key, used] = await Promise.all([call(PATH), call("/v1/usage")]);
  const refused = await refusedRequests();
  shown.replaceChildren(
    heading("Key"),
    keyTable(key),
    heading("Limits"),
    ...limits(used),
    heading("Usage"),
    usage("By hour", used.last24Hours, { dateStyle: "medium", timeStyle: "short" }),
    usage("By day, in UTC", key.last30Days, { dateStyle: "medium", timeZone: "UTC" }),
    heading("Refused requests"),
    ...refused,
    heading("Deprecated operations"),
    deprecated(key),
    ...(key.scopes.includes("key:rotate") ? [heading("Rotate the key"), ...rotationForm()] : []),
  );
  return `As of ${new Date().toLocaleTimeString()}.`;
}

/** Does something, and says how it went. @param {() => Promise<string | void>} work */
async function attempt(work) {
  status.textContent = "…";
  try {
    status.textContent = (await work()) ?? "";
  } catch (error) {
    status.textContent = error instanceof Error ? error.message : String(error);
  }
}

/** @param {HTMLElement} place */
function begin(place) {
  const field = element("input", {
    id: "secret",
    type: "password",
    autocomplete: "off",
    required: true,
    spellcheck: false,
  });
  const forget = element("button", { type: "button", textContent: "Forget it" });
  const form = element(
    "form",
    { className: "account", ariaLabel: "Key" },
    element("label", { htmlFor: "secret", textContent: "API key" }),
    field,
    element("button", { textContent: "Show" }),
    forget,
  );
  const clear = () => {
    secret = "";
    rotation = "";
    field.value = "";
    status.textContent = "";
    shown.replaceChildren();
  };
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (field.value.trim() !== "") secret = field.value.trim();
    field.value = "";
    field.required = false;
    shown.replaceChildren();
    void attempt(show);
  });
  forget.addEventListener("click", () => {
    clear();
    field.required = true;
    field.focus();
  });
  // A browser may keep a page that it leaves.
  addEventListener("pagehide", clear);
  place.append(form, status, shown);
}

const place = document.getElementById("account");
if (place !== null) begin(place);
