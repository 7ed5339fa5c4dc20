// Starts Swagger UI with this service's OpenAPI document, and adds exact integers and accessible names.

/** @typedef {(properties: object) => unknown} Component */
/** @typedef {(component: string | Component, properties: object, ...children: unknown[]) => unknown} CreateElement */
/** @typedef {{ React: { createElement: CreateElement }, getComponent(name: string): Component }} System */

/**
 * Indents JSON and keeps its integers exact: `JSON.parse` alone rounds integers above 2^53.
 * @param {string} text
 */
function indented(text) {
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const exactly = (_key, value, { source } = {}) =>
    typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value;
  return JSON.stringify(JSON.parse(text, exactly), null, 2);
}

/** @type {HTMLDialogElement | null} The dialog that is open. */
let dialog = null;

/**
 * Opens a dialog as a modal one. Before it is removed it is closed, which returns the focus.
 * @param {HTMLDialogElement | null} element null: it is about to be removed
 */
function openModal(element) {
  dialog?.close();
  dialog = element;
  dialog?.showModal();
  dialog?.querySelector("input")?.focus();
}

/** @param {Event} event Escape, which Swagger UI does not know. */
function cancelModal(event) {
  event.preventDefault();
  dialog?.querySelector("button")?.click();
}

/**
 * A plugin of Swagger UI.
 * @param {System} system
 */
const additions = ({ React: { createElement }, getComponent }) => ({
  components: {
    /** @param {object} properties A text field: a number field would round. */
    JsonSchema_integer_int64: (properties) => createElement(getComponent("JsonSchema_string"), properties),
  },
  wrapComponents: {
    /** @param {Component} original A `div` over the page, which leaves the focus behind it. */
    authorizationPopup: (original) => (/** @type {object} */ properties) =>
      createElement(
        "dialog",
        { ref: openModal, onCancel: cancelModal, "aria-label": "Authorize" },
        createElement(original, properties),
      ),
    /** @param {Component} original Shows a body unchanged only if it is not declared as JSON. */
    responseBody: (original) => (/** @type {{ content: unknown, contentType: string }} */ properties) => {
      const { content, contentType } = properties;
      const isJson = /json/.test(contentType) && typeof content === "string" && "rawJSON" in JSON;
      const exact = isJson ? { content: indented(content), contentType: "text/plain" } : {};
      return createElement(original, { ...properties, ...exact });
    },
    /** @param {Component} original A long table, mostly the same, so it starts folded. */
    headers: (original) => (/** @type {object} */ properties) =>
      createElement("details", {}, createElement("summary", {}, "Headers"), createElement(original, properties)),
  },
});

/**
 * Accessible names of fields without a label, by selector.
 * @type {Record<string, (field: Element) => string>}
 */
const names = {
  "#servers": () => "Server",
  "#auth-bearer-value": () => "API key",
  ".close-modal": () => "Close",
  ".body-param__text": () => "Request body",
  ".examples-select-element": () => "Example",
  ".parameters :is(select, input)": (field) =>
    field.closest("tr")?.querySelector(".parameter__name")?.firstChild?.textContent ?? "",
};

function nameFields() {
  for (const [selector, nameOf] of Object.entries(names))
    for (const field of document.querySelectorAll(selector)) field.setAttribute("aria-label", nameOf(field));
  // Its label differs from its visible text.
  document.querySelector(".modal-btn.authorize")?.removeAttribute("aria-label");
  // The form that a key was entered in is replaced by what it has authorized, and the focus is lost with it.
  if (dialog?.contains(document.activeElement) === false) {
    const done = dialog.querySelector(".btn-done");
    if (done instanceof HTMLElement) done.focus();
  }
}

new MutationObserver(nameFields).observe(document.body, { childList: true, subtree: true });

/** @typedef {{ $ref?: string, example?: unknown, examples?: unknown, default?: unknown }} Schema */
/** @typedef {Schema & { required?: boolean, schema: Schema }} Parameter */
/** @typedef {{ url: string, description: string }} Server */
/** @typedef {Record<string, Record<string, { parameters?: Parameter[] }>>} Paths */
/** @type {{ servers: Server[], paths: Paths, components: { schemas: Record<string, Schema> } }} */
const spec = await (await fetch("/openapi.json")).json();
// The page's own origin comes first: a page at http://localhost may not call http://127.0.0.1.
const here = `${location.origin}/v1`;
if (!spec.servers.some(({ url }) => url === here)) spec.servers.unshift({ url: here, description: "This service" });

// Swagger UI enters the examples and defaults of parameters, and would send filters and conditions that nobody chose.
for (const { parameters = [] } of Object.values(spec.paths).flatMap((path) => Object.values(path))) {
  for (const parameter of parameters.filter(({ required }) => !required)) {
    const { $ref = "", ...own } = parameter.schema;
    parameter.schema = { ...spec.components.schemas[$ref.replace(/.*\//, "")], ...own };
    for (const part of [parameter, parameter.schema]) {
      delete part.example;
      delete part.examples;
      delete part.default;
    }
  }
}

/** @type {{ SwaggerUIBundle(options: object): void }} */ (/** @type {unknown} */ (globalThis)).SwaggerUIBundle({
  spec,
  dom_id: "#reference",
  plugins: [additions],
  defaultModelsExpandDepth: 0,
  syntaxHighlight: false,
  tryItOutEnabled: true,
  validatorUrl: null,
  /** @param {{ status: number }} response For screen readers: it appears below the button, where the focus stays. */
  responseInterceptor: (response) => {
    const announcement = document.getElementById("announcement");
    if (announcement) announcement.textContent = `Response ${response.status}`;
    return response;
  },
});
