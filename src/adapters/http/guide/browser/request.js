// The form of an operation in the reference: it sends a request with the key of this tab to this service, and shows the response.

/** @typedef {import("../reference.ts").RequestForm} RequestForm */

/**
 * Indents JSON and keeps its integers exact: `JSON.parse` alone rounds those beyond 2^53.
 * @param {string} text
 */
function indented(text) {
  if (!("rawJSON" in JSON)) return text;
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const exactly = (_key, value, { source } = {}) =>
    typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value;
  return JSON.stringify(JSON.parse(text, exactly), null, 2);
}

/**
 * @param {RequestForm["parameters"][number]} parameter
 * @returns {HTMLInputElement | HTMLSelectElement}
 */
function fieldOf({ name, required, values }) {
  const field = document.createElement(values === undefined ? "input" : "select");
  for (const value of values === undefined ? [] : ["", ...values]) field.append(new Option(value));
  field.name = name;
  field.required = required;
  field.autocomplete = "off";
  return field;
}

/**
 * @param {string} text
 * @param {string} note
 * @param {HTMLElement} field
 */
function labelled(text, note, field) {
  const label = document.createElement("label");
  label.append(Object.assign(document.createElement("span"), { textContent: text }), ` ${note}`, field);
  return label;
}

/**
 * The request of a filled form. Fields that are empty are not sent.
 * @param {RequestForm} form
 * @param {FormData} filled
 * @param {string} key
 * @returns {[url: string, options: RequestInit]}
 */
function requestOf({ method, path, parameters, body }, filled, key) {
  const url = new URL(path, location.origin);
  const headers = new Headers({ Authorization: `Bearer ${key}` });
  for (const { name, in: place } of parameters) {
    const value = String(filled.get(name) ?? "");
    if (value === "") continue;
    if (place === "query") url.searchParams.append(name, value);
    else if (place === "header") headers.set(name, value);
    else url.pathname = url.pathname.replace(`%7B${name}%7D`, encodeURIComponent(value));
  }
  if (body === undefined) return [url.href, { method, headers }];
  headers.set("Content-Type", body.type);
  return [url.href, { method, headers, body: String(filled.get("body")) }];
}

/** @param {string} name @param {string} text */
function codeOf(name, text) {
  const block = document.createElement("div");
  block.className = "code output";
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.setAttribute("aria-label", name);
  pre.setAttribute("role", "region");
  pre.append(Object.assign(document.createElement("code"), { textContent: text }));
  block.append(pre);
  return block;
}

/** @param {Response} response @param {string} text */
function shown(response, text) {
  const headers = document.createElement("details");
  const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`).join("\n");
  headers.append(Object.assign(document.createElement("summary"), { textContent: "Headers of the response" }));
  headers.append(codeOf("Headers", lines));
  const isJson = /json/.test(response.headers.get("Content-Type") ?? "");
  return text === "" ? [headers] : [headers, codeOf("Body", isJson ? indented(text) : text)];
}

/** The field of the key, which the script of the examples adds. */
const keyField = () => /** @type {HTMLInputElement | null} */ (document.getElementById("key"));

/** @param {HTMLElement} section */
function addForm(section) {
  /** @type {RequestForm} */
  const form = JSON.parse(section.dataset.form ?? "");
  const details = document.createElement("details");
  const element = document.createElement("form");
  element.setAttribute("aria-label", "Request");
  for (const parameter of form.parameters) {
    const { name, in: place, required } = parameter;
    element.append(labelled(name, `${place}${required ? ", required" : ""}`, fieldOf(parameter)));
  }
  if (form.body !== undefined) {
    const body = Object.assign(document.createElement("textarea"), { name: "body", rows: 6, spellcheck: false });
    body.value = indented(form.body.example);
    element.append(labelled("Body", form.body.type, body));
  }
  const send = Object.assign(document.createElement("button"), { textContent: "Send" });
  const status = document.createElement("p");
  status.setAttribute("role", "status");
  const result = document.createElement("div");
  element.append(send);
  element.addEventListener("submit", async (event) => {
    event.preventDefault();
    result.replaceChildren();
    const field = keyField();
    if (field === null || field.value === "" || field.getAttribute("aria-invalid") === "true") {
      status.textContent = "First enter your API key, above the examples.";
      field?.closest("details")?.setAttribute("open", "");
      field?.focus();
      return;
    }
    status.textContent = "Sent.";
    try {
      const response = await fetch(...requestOf(form, new FormData(element), field.value.trim()));
      const text = await response.text();
      status.textContent = `Response ${response.status} ${response.statusText}`.trim();
      result.replaceChildren(...shown(response, text));
    } catch (error) {
      status.textContent = `No response: ${error instanceof Error ? error.message : error}`;
    }
  });
  details.append(Object.assign(document.createElement("summary"), { textContent: "Send this request" }));
  details.append(element, status, result);
  section.append(details);
}

for (const section of document.querySelectorAll("section.request")) addForm(/** @type {HTMLElement} */ (section));
