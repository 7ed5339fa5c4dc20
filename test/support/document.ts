import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { type Answer, JSON_TYPE } from "./client.ts";

type Ref = { $ref: string };
type Schema = Record<string, unknown>;
type Header = { required?: boolean; schema: Schema };
type Media = { schema: Schema; examples?: Record<string, unknown> };
type Response = { headers?: Record<string, Ref>; content?: Record<string, Media> };
type Operation = { responses: Record<string, Response> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { headers: Record<string, Header>; schemas: Record<string, Schema> };
};

/** The statuses of paths without an operation: every path under the prefix needs credentials. */
const BESIDE_THE_DOCUMENT = [204, 401, 403, 404, 405, 429, 500, 503];

/** The path of each interface's document. */
const interfaces = [
  { prefix: "/v1", place: "/openapi.json" },
  { prefix: "/admin/v1", place: "/admin/openapi.json" },
];

const documents = new Map<string, Promise<Conformance>>();

/**
 * Checks a response against the service's own /openapi.json: its status, media type, body and headers must match
 * the operation. @throws when they do not
 */
export async function checkAgainstDocument(url: string, method: string, path: string, answer: Answer): Promise<void> {
  const [plain = ""] = path.split(/[?#]/, 1);
  const found = interfaces.find(({ prefix }) => plain === prefix || plain.startsWith(`${prefix}/`));
  if (found === undefined) return;
  const place = url + found.place;
  const known =
    documents.get(place) ??
    fetch(place).then(async (response) => new Conformance((await response.json()) as Document, found.prefix));
  documents.set(place, known);
  const problem = (await known).problemOf(method, path, answer);
  if (problem !== undefined) {
    throw new Error(`${method} ${path} -> ${answer.status} is not what the document says: ${problem}\n${answer.text}`);
  }
}

/** An operation that lists its errors lists each of them as an example. */
function refusalProblem({ status, body }: Answer, examples: Record<string, unknown> | undefined): string | undefined {
  if (body.status !== status) return "the body names another status";
  if (examples !== undefined && !Object.hasOwn(examples, body.code)) return `the error ${body.code} is not listed`;
  return undefined;
}

class Conformance {
  readonly #document: Document;
  readonly #prefix: string;
  /** By the text of the schema: compiling one takes longer than the request. */
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #ajv = new Ajv2020({ strict: false, coerceTypes: false, allErrors: true, validateFormats: false });

  constructor(document: Document, prefix: string) {
    this.#document = document;
    this.#prefix = prefix;
    this.#ajv.addSchema({ $id: "document", ...document });
  }

  problemOf(method: string, path: string, answer: Answer): string | undefined {
    // Methods are case-sensitive, and those of the document are in lower case.
    const known = method === method.toUpperCase() ? method.toLowerCase() : "";
    const operation = this.#operationOf(known === "head" ? "get" : known, path);
    const response = operation?.responses[answer.status];
    if (operation === undefined && !BESIDE_THE_DOCUMENT.includes(answer.status)) return "this status is not listed";
    if (operation !== undefined && response === undefined) return "this status is not listed";
    return this.#headerProblem(response ?? this.#anyRefusal(), answer) ?? this.#bodyProblem(response, answer, method);
  }

  #operationOf(method: string, path: string): Operation | undefined {
    const plain = path.replace(/[?#].*/, "").slice(this.#prefix.length);
    const templates = Object.keys(this.#document.paths).filter((template) =>
      new RegExp(`^${template.replace(/\{\w+\}/g, "[^/]+")}$`).test(plain),
    );
    // A path without parameters comes before one with parameters.
    const template = templates.toSorted((a, b) => a.split("{").length - b.split("{").length)[0] ?? "";
    return this.#document.paths[template]?.[method];
  }

  /** A response with only the headers of every response. */
  #anyRefusal(): Response {
    return Object.values(this.#document.paths)[0]?.get?.responses[500] ?? {};
  }

  #headerProblem(response: Response, answer: Answer): string | undefined {
    for (const [name, { $ref }] of Object.entries(response.headers ?? {})) {
      const header = this.#document.components.headers[$ref.split("/").at(-1) ?? ""];
      if (header === undefined) return `${$ref} does not exist`;
      const text = answer.headers.get(name);
      if (text === null) {
        if (header.required) return `the header ${name} is missing`;
        continue;
      }
      const value = header.schema.type === "integer" ? Number(text) : text;
      if (!this.#ajv.validate(header.schema, value)) return `the header ${name} is ${text}`;
    }
    return undefined;
  }

  #bodyProblem(response: Response | undefined, answer: Answer, method: string): string | undefined {
    if (method === "HEAD" || [204, 304].includes(answer.status))
      return answer.text === "" ? undefined : "there is a body";
    const types = Object.keys(response?.content ?? { "application/json": {} });
    const given = answer.headers.get("Content-Type")?.replace("; charset=utf-8", "");
    const type = types.find((one) => one === given);
    if (type === undefined) return `the media type is ${answer.headers.get("Content-Type")}`;
    const schema = response?.content?.[type]?.schema ?? { $ref: "#/components/schemas/Error" };
    const validate = this.#validatorOf(schema);
    if (!validate(JSON_TYPE.test(type) ? answer.body : answer.text)) return this.#ajv.errorsText(validate.errors);
    return answer.status >= 400 ? refusalProblem(answer, response?.content?.[type]?.examples) : undefined;
  }

  #validatorOf(schema: Schema): ValidateFunction {
    const pointed = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const validate = this.#validators.get(pointed) ?? this.#ajv.compile(JSON.parse(pointed));
    this.#validators.set(pointed, validate);
    return validate;
  }
}
