// Starts Swagger UI on this service's own OpenAPI document, and mends what it lacks.

/** @typedef {(properties: object) => unknown} Component */
/** @typedef {(component: string | Component, properties: object, ...children: unknown[]) => unknown} CreateElement */
/** @typedef {{ React: { createElement: CreateElement }, getComponent(name: string): Component }} System */

/**
 * JSON as it came, indented: `JSON.parse` alone would round integers above 2^53.
 * @param {string} text
 */
function indented(text) {
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const exactly = (_key, value, { source } = {}) =>
    typeof value === "number" && source !== undefined ? JSON.rawJSON(source) : value;
  return JSON.stringify(JSON.parse(text, exactly), null, 2);
}

/**
 * What is added to Swagger UI, as a plugin of it.
 * @param {System} system
 */
const additions = ({ React: { createElement }, getComponent }) => ({
  components: {
    /** @param {object} properties A field of text: one for numbers would round. */
    JsonSchema_integer_int64: (properties) => createElement(getComponent("JsonSchema_string"), properties),
  },
  wrapComponents: {
    /** @param {Component} original Shows text that is not declared as JSON the way it is. */
    responseBody: (original) => (/** @type {{ content: unknown, contentType: string }} */ properties) => {
      const { content, contentType } = properties;
      const isJson = /json/.test(contentType) && typeof content === "string" && "rawJSON" in JSON;
      const exact = isJson ? { content: indented(content), contentType: "text/plain" } : {};
      return createElement(original, { ...properties, ...exact });
    },
    /** @param {Component} original A long table, the same for most answers. */
    headers: (original) => (/** @type {object} */ properties) =>
      createElement("details", {}, createElement("summary", {}, "Headers"), createElement(original, properties)),
  },
});

/**
 * Names that screen readers say of fields without a label, by selector.
 * @type {Record<string, (field: Element) => string>}
 */
const names = {
  "#servers": () => "Server",
  ".close-modal": () => "Close",
  ".body-param__text": () => "Request body",
  ".examples-select-element": () => "Example",
  ".parameters :is(select, input)": (field) =>
    field.closest("tr")?.querySelector(".parameter__name")?.firstChild?.textContent ?? "",
};

function nameFields() {
  for (const [selector, nameOf] of Object.entries(names))
    for (const field of document.querySelectorAll(selector)) field.setAttribute("aria-label", nameOf(field));
  // Its label is not what it says to the eye.
  document.querySelector(".modal-btn.authorize")?.removeAttribute("aria-label");
}

new MutationObserver(nameFields).observe(document.body, { childList: true, subtree: true });

/** @type {{ servers: { url: string, description: string }[] }} */
const spec = await (await fetch("/openapi.json")).json();
// The address that the page was opened at comes first: a page at http://localhost may not call http://127.0.0.1.
const here = `${location.origin}/v1`;
if (!spec.servers.some(({ url }) => url === here)) spec.servers.unshift({ url: here, description: "This service" });

/** @type {{ SwaggerUIBundle(options: object): void }} */ (/** @type {unknown} */ (globalThis)).SwaggerUIBundle({
  spec,
  dom_id: "#reference",
  plugins: [additions],
  defaultModelsExpandDepth: 0,
  syntaxHighlight: false,
  tryItOutEnabled: true,
  validatorUrl: null,
});
