/** The parts of an OpenAPI 3.1 document of this service that its reference shows. Integers beyond 2^53 are not exact in it. */
type Document = {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; headers: Record<string, Header> };
};
type Operation = {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  deprecated?: boolean;
  "x-sunset"?: string;
  parameters?: Parameter[];
  requestBody?: { description: string; required: boolean; content: Content };
  responses: Record<string, Response>;
};
type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description: string;
  schema: Schema;
};
type Response = { description: string; headers: Record<string, { $ref: string }>; content?: Content };
type Content = Record<
  string,
  { schema: Schema; example?: unknown; examples?: Record<string, { value: ErrorExample }> }
>;
type ErrorExample = { code: string; message: string };
type Header = { description: string };
type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  oneOf?: Schema[];
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | false;
  required?: string[];
  default?: unknown;
  description?: string;
  examples?: unknown[];
};

/** What the form of an operation asks for, and how its request is sent. */
export type RequestForm = {
  method: string;
  /** Below the root of the service, with parameters in braces. */
  path: string;
  parameters: { name: string; in: Parameter["in"]; required: boolean; values: string[] | undefined }[];
  body: { type: string; example: string } | undefined;
};

/**
 * A page of the reference, as if it were this Markdown file in the project. `search` is the part of it that the search finds: the
 * errors of all operations are much the same.
 */
export type ReferencePage = {
  file: string;
  title: string;
  /** The part of the reference that it is in. */
  group: string;
  call: string | undefined;
  markdown: string;
  search: string;
  form: RequestForm | undefined;
};

/** The pages of the reference of an OpenAPI document in JSON: an overview, and a page for each operation. */
export function referencePages(json: string): ReferencePage[] {
  const document: Document = JSON.parse(json);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => new OperationPage(document, method, `/v1${path}`, operation)),
  );
  const markdown = overviewOf(document, operations);
  const search = markdown.slice(0, markdown.indexOf("\n## "));
  const overview = {
    file: "docs/reference.md",
    title: "Reference",
    group: "",
    call: undefined,
    markdown,
    search,
    form: undefined,
  };
  return [overview, ...operations.map(({ page }) => page)];
}

/** The part of the contents that lists these pages. */
export function contentsOf(pages: Iterable<ReferencePage>): string {
  const items = [...pages].map(
    ({ file, title, call = "all operations" }) => `- [${title}](${file.replace("docs/", "")}): ${call}`,
  );
  return `## Reference\n\n${items.join("\n")}\n\n`;
}

function overviewOf({ info, tags }: Document, calls: OperationPage[]): string {
  const sections = tags.map(({ name, description }) => {
    const rows = calls
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ operation, call }) => [`[${operation.summary}](reference/${operation.operationId}.md)`, `\`${call}\``]);
    return `## ${name[0]?.toUpperCase()}${name.slice(1)}\n\n${description}\n\n${table(["Operation", "Call"], rows)}`;
  });
  return `# Reference

All operations of the interface, each with its parameters, its responses, examples in four languages, and a form that sends a
request. Programs read the same in the [OpenAPI document](/openapi.json), and API clients in a file of all requests: a
[collection for Postman and Bruno](/docs/petstore.postman_collection.json), or a
[\`.http\` file](/docs/petstore.http) for Visual Studio Code and JetBrains. Set their variable \`key\` to your key.

${info.description}

${sections.join("\n\n")}
`;
}

class OperationPage {
  readonly operation: Operation;
  /** The method and the path: `GET /v1/pets`. */
  readonly call: string;
  readonly #document: Document;
  readonly #method: string;
  readonly #path: string;

  constructor(document: Document, method: string, path: string, operation: Operation) {
    this.operation = operation;
    this.call = `${method.toUpperCase()} ${path}`;
    this.#document = document;
    this.#method = method;
    this.#path = path;
  }

  get page(): ReferencePage {
    const {
      operationId: id,
      summary,
      tags: [group = ""],
    } = this.operation;
    const head = this.#head();
    const request = this.#request();
    const parts = [head, this.#example(), ...request, this.#answers(), this.#errors()];
    return {
      file: `docs/reference/${id}.md`,
      title: summary,
      group,
      call: this.call,
      markdown: `${parts.join("\n\n")}\n`,
      search: [head, ...request]
        .join("\n\n")
        .replaceAll(/^## /gm, "")
        .replace(summary, `${summary} (${id}, ${this.call})`),
      form: this.#form(),
    };
  }

  #head(): string {
    const { summary, description = "", deprecated, "x-sunset": removed } = this.operation;
    const warning = deprecated
      ? `\n\n> **Deprecated.** It is removed on ${removed}: see [Deprecation](../deprecation.md).`
      : "";
    return `# ${summary}\n\n\`${this.call}\`\n\n${description}${warning}`;
  }

  /** The call as a command, which the guide translates into programs, and what it prints. */
  #example(): string {
    const [status = "", response] = this.#successes()[0] ?? [];
    const [type, body] = this.#body() ?? [];
    const path = this.#path.replaceAll(/\{(\w+)\}/g, (_, name) =>
      String(this.#exampleOf(this.#parameter(name)?.schema)),
    );
    const words = [
      `curl -s${response?.content === undefined ? "i" : ""}`,
      ...(["get", "post"].includes(this.#method) ? [] : [`-X ${this.#method.toUpperCase()}`]),
      `http://127.0.0.1:8080${path} -H "Authorization: Bearer $KEY"`,
      ...(body === undefined ? [] : [`\\\n    -H "Content-Type: ${type}" -d '${body}'`]),
    ];
    const [content] = Object.values(response?.content ?? {});
    const shown = content?.example ?? this.#exampleOf(content?.schema);
    const printed = content === undefined ? `HTTP/1.1 ${status} No Content` : indented(shown);
    return `## Example\n\n\`\`\`console\n$ ${words.join(" ")}\n${printed}\n\`\`\``;
  }

  #request(): string[] {
    const parameters = (this.operation.parameters ?? []).map(({ name, in: place, required, description, schema }) => [
      `\`${name}\``,
      place,
      `${this.#typeOf(schema)}${required ? ", required" : ""}`,
      description,
    ]);
    const { requestBody } = this.operation;
    const [content] = Object.values(requestBody?.content ?? {});
    return [
      ...(parameters.length === 0 ? [] : [`## Parameters\n\n${table(["Name", "In", "Value", "Meaning"], parameters)}`]),
      ...(requestBody === undefined || content === undefined
        ? []
        : [`## Body\n\n${requestBody.description} ${typesOf(requestBody.content)}\n\n${this.#fields(content.schema)}`]),
    ];
  }

  #answers(): string {
    const shared = Object.keys(this.#successes()[0]?.[1].headers ?? {});
    const answers = this.#successes().map(([status, { description, content = {} }]) => {
      const [media] = Object.values(content);
      return `\`${status}\`: ${description}${media === undefined ? "" : `\n\n${this.#fields(media.schema)}`}`;
    });
    const headers = shared.map((name) => [`\`${name}\``, this.#headerOf(name)?.description ?? ""]);
    return ["## Response", ...answers, folded("Headers", table(["Header", "Meaning"], headers))].join("\n\n");
  }

  /** All errors, folded by status: each operation has most of them. */
  #errors(): string {
    const errors = Object.entries(this.operation.responses).filter(([status]) => status >= "400");
    const parts = errors.map(([status, { content = {} }]) => {
      const examples = Object.values(content).flatMap(({ examples = {} }) => Object.values(examples));
      const codes = examples.map(({ value: { code, message } }) => [`[\`${code}\`](../errors.md#${code})`, message]);
      const names = examples.map(({ value: { code } }) => `<code>${code}</code>`).join(", ");
      return folded(`${status} ${names}`, table(["Code", "Message"], codes));
    });
    return ["## Errors", ...parts].join("\n\n");
  }

  #form(): RequestForm {
    const [type, example] = this.#body() ?? [];
    return {
      method: this.#method.toUpperCase(),
      path: this.#path,
      parameters: (this.operation.parameters ?? []).map(({ name, in: place, required, schema }) => ({
        name,
        in: place,
        required,
        values: this.#resolved(schema).enum,
      })),
      body: type === undefined || example === undefined ? undefined : { type, example },
    };
  }

  #successes(): [string, Response][] {
    return Object.entries(this.operation.responses).filter(([status]) => status < "400");
  }

  /** The first media type of the body, and an example of it in JSON. */
  #body(): [type: string, example: string] | undefined {
    const [[type, content] = []] = Object.entries(this.operation.requestBody?.content ?? {});
    if (type === undefined || content === undefined) return undefined;
    return [type, JSON.stringify(content.example ?? this.#exampleOf(content.schema))];
  }

  #parameter(name: string): Parameter | undefined {
    return this.operation.parameters?.find((parameter) => parameter.name === name);
  }

  #headerOf(name: string): Header | undefined {
    const { $ref = "" } = this.#successes()[0]?.[1].headers[name] ?? {};
    return this.#document.components.headers[nameIn($ref)];
  }

  #resolved({ $ref, ...own }: Schema): Schema {
    return $ref === undefined ? own : { ...this.#document.components.schemas[nameIn($ref)], ...own };
  }

  #exampleOf(schema: Schema = {}): unknown {
    return this.#resolved(schema).examples?.[0];
  }

  /** The fields of an object, or of the items of an array, with those of the objects within it. */
  #fields(schema: Schema): string {
    return table(["Field", "Value", "Meaning"], this.#fieldsOf(schema, ""));
  }

  #fieldsOf(schema: Schema, prefix: string): string[][] {
    const { items, oneOf = [], properties = {}, required = [] } = this.#resolved(schema);
    if (items !== undefined) return this.#fieldsOf(items, `${prefix}[]`.replace(/^\[\]$/, ""));
    const rows = Object.entries(properties).flatMap(([name, field]) => {
      const { description } = this.#resolved(field);
      if (description === undefined) return [];
      const path = prefix === "" ? name : `${prefix}.${name}`;
      const value = `${this.#typeOf(field)}${required.includes(name) ? "" : ", optional"}`;
      return [[`\`${path}\``, value, description], ...this.#fieldsOf(field, path)];
    });
    return [...rows, ...oneOf.flatMap((one) => this.#fieldsOf(one, prefix))];
  }

  /** What a value may be, in words: `string, 1 to 255 characters`. */
  #typeOf(schema: Schema): string {
    const { type = [], enum: values, items, oneOf = [], default: fallback, ...rest } = this.#resolved(schema);
    const types = [type, ...oneOf.map((one) => this.#resolved(one).type ?? [])].flat();
    const named = types.map((one) => (one === "integer" && rest.format === "int64" ? "int64" : one)).join(" or ");
    const single = values?.map((value) => `\`${value}\``).join(", ") ?? named;
    const kind = items === undefined ? single : `array of ${this.#typeOf(items)}`;
    const preset = fallback === undefined ? [] : [`default \`${fallback}\``];
    return [kind, ...boundsOf(types.includes("integer"), rest), ...preset].join(", ");
  }
}

/** No value of an int64, and no text of the service, needs more: what has these bounds has none. */
const NONE = { integer: Number.MAX_SAFE_INTEGER, length: 16_384 };

function boundsOf(
  isInteger: boolean,
  { minimum, maximum = Infinity, minLength = 0, maxLength = Infinity, maxItems = Infinity, format }: Schema,
): string[] {
  const bounds: string[] = [];
  if (format === "date-time") bounds.push("RFC 3339");
  if (isInteger && minimum !== undefined && minimum >= -NONE.integer)
    bounds.push(maximum < NONE.integer ? `${minimum} to ${maximum}` : `${minimum} or more`);
  if (maxLength < NONE.length) bounds.push(`${minLength > 0 ? `${minLength} to ` : "at most "}${maxLength} characters`);
  if (maxItems <= NONE.length) bounds.push(`at most ${maxItems}`);
  return bounds;
}

function typesOf(content: Content): string {
  return `Its media type is ${Object.keys(content)
    .map((type) => `\`${type}\``)
    .join(" or ")}.`;
}

function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}

function table(columns: string[], rows: string[][]): string {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll(/\s+/g, " ")).join(" | ")} |`;
  return rows.length === 0 ? "" : [line(columns), `|${"---|".repeat(columns.length)}`, ...rows.map(line)].join("\n");
}

/** A part that a reader opens. Markdown has HTML for it. */
function folded(summary: string, content: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${content}\n\n</details>`;
}

/** JSON as the examples have it: what is short on one line. */
function indented(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 100 ? text : JSON.stringify(value, null, 2);
}
