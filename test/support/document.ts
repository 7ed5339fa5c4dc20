import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import type { Answer } from "./client.ts";

type Ref = { $ref: string };
type Schema = Record<string, unknown>;
type Header = { required?: boolean; schema: Schema };
type Response = { headers?: Record<string, Ref>; content?: Record<string, { schema: Schema }> };
type Operation = { responses: Record<string, Response> };
type Document = {
  paths: Record<string, Record<string, Operation>>;
  components: { headers: Record<string, Header>; schemas: Record<string, Schema> };
};

/** What may be answered where the document has no operation: every path under /v1 needs a key, and none of these is listed. */
const BESIDE_THE_DOCUMENT = [204, 401, 404, 405, 429, 500, 503];

const documents = new Map<string, Promise<Conformance>>();

/**
 * Holds an answer against the service's own /openapi.json: its status, media type, body and headers must be what
 * the document says of that operation. @throws when they are not
 */
export async function checkAgainstDocument(url: string, method: string, path: string, answer: Answer): Promise<void> {
  if (!/^\/v1(?:[/?]|$)/.test(path)) return;
  const known =
    documents.get(url) ??
    fetch(`${url}/openapi.json`).then(async (response) => new Conformance((await response.json()) as Document));
  documents.set(url, known);
  const problem = (await known).problemOf(method, path, answer);
  if (problem !== undefined) {
    throw new Error(`${method} ${path} -> ${answer.status} is not what the document says: ${problem}\n${answer.text}`);
  }
}

class Conformance {
  readonly #document: Document;
  /** By their schema's text: compiling one takes longer than the request. */
  readonly #validators = new Map<string, ValidateFunction>();
  readonly #ajv = new Ajv2020({ strict: false, coerceTypes: false, allErrors: true, validateFormats: false });

  constructor(document: Document) {
    this.#document = document;
    this.#ajv.addSchema({ $id: "document", ...document });
  }

  problemOf(method: string, path: string, answer: Answer): string | undefined {
    const operation = this.#operationOf(method === "HEAD" ? "get" : method.toLowerCase(), path);
    const response = operation?.responses[answer.status];
    if (operation === undefined && !BESIDE_THE_DOCUMENT.includes(answer.status)) return "this status is listed nowhere";
    if (operation !== undefined && response === undefined) return "this status is not listed";
    return this.#headerProblem(response ?? this.#anyRefusal(), answer) ?? this.#bodyProblem(response, answer, method);
  }

  #operationOf(method: string, path: string): Operation | undefined {
    const plain = path.replace(/[?#].*/, "").slice("/v1".length);
    const template = /^\/pets\/[^/]*$/.test(plain) ? "/pets/{petId}" : plain;
    return this.#document.paths[template]?.[method];
  }

  /** A response whose headers are those that every answer carries. */
  #anyRefusal(): Response {
    return this.#document.paths["/pets"]?.get?.responses[500] ?? {};
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
    if (method === "HEAD" || answer.status === 204) return answer.text === "" ? undefined : "there is a body";
    const [type] = Object.keys(response?.content ?? { "application/json": {} });
    if (answer.headers.get("Content-Type") !== type) return `the media type is ${answer.headers.get("Content-Type")}`;
    const schema = response?.content?.[type ?? ""]?.schema ?? { $ref: "#/components/schemas/Error" };
    const validate = this.#validatorOf(schema);
    if (!validate(answer.body)) return this.#ajv.errorsText(validate.errors);
    const isRefusal = answer.status >= 400;
    return isRefusal && JSON.parse(answer.text).status !== answer.status ? "the body names another status" : undefined;
  }

  #validatorOf(schema: Schema): ValidateFunction {
    const pointed = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const validate = this.#validators.get(pointed) ?? this.#ajv.compile(JSON.parse(pointed));
    this.#validators.set(pointed, validate);
    return validate;
  }
}
