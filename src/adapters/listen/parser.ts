import type { Malformation } from "../http/malformed.ts";
import { MAX_HEAD, type RequestHeaders } from "../http/request.ts";
import { program } from "./llhttp.ts";

/** The functions of llhttp that are used. Pointers are numbers. */
type Functions = {
  memory: WebAssembly.Memory;
  _initialize(): void;
  malloc(size: number): number;
  llhttp_alloc(type: number): number;
  llhttp_free(parser: number): void;
  llhttp_reset(parser: number): void;
  llhttp_execute(parser: number, data: number, length: number): number;
  llhttp_resume(parser: number): void;
  llhttp_get_error_pos(parser: number): number;
  llhttp_get_http_major(parser: number): number;
  llhttp_get_http_minor(parser: number): number;
  llhttp_should_keep_alive(parser: number): number;
};

/** The type of parsers of requests. */
const REQUEST = 1;
/** Results of `llhttp_execute`; of callbacks, 0 goes on and the other one pauses. */
const OK = 0;
const PAUSED = 21;
const INVALID_VERSION = 9;

/** The largest part of what is received that is parsed at once, in bytes. */
const MAX_SLICE = 64 * 1024;
/** The size of a block for small chunks, in bytes. */
const BLOCK = 4 * 1024;
/** The bytes of a chunk with one byte, and how many bytes chunks and trailers may have beside as many. */
const BYTES_PER_BYTE = 6;
const MAX_FRAMING = 16 * 1024;

/** The methods that llhttp gets. It gets POST for any other token: no method but CONNECT changes how it parses. */
const METHODS = ["GET", "POST", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT"].map((name) => ({
  name,
  start: Buffer.from(`${name} `),
}));
const SUBSTITUTE = Buffer.from("POST");
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;
/** A request line of HTTP, and one with a version that llhttp does not take. */
const HTTP_LINE = /^[^\r]* HTTP\/1\.[01]\r/;
const OTHER_VERSION = /^\S+ \S+ HTTP\/\d\.\d\r/;
const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
/** How many bytes behind the last value may be there while a head is incomplete: `\r\n\r\n` but its last one. */
const MAX_BEHIND = 3;
/** The bit in which a capital letter differs from the other one. */
const CASE = 0x20;

/** The head of a request. It is that of the next one after `Parser.next`. */
class Head implements RequestHeaders {
  method = "";
  target = "";
  /** Whether the connection can carry another request after this one. */
  isKeptAlive = true;
  /** The minor version of HTTP: 1, or 0. */
  version = 1;
  /** The request line and headers, with the method that llhttp got. */
  text = "";
  /** Where each name and its value begin and end in the text. */
  readonly fields: number[] = [];

  get(name: string): string | null {
    const { fields, text } = this;
    const { length } = name;
    let found: string | null = null;
    for (let at = 0; at < fields.length; at += 4) {
      const start = fields[at] ?? 0;
      // Mostly the lengths differ, and else the first letters.
      if ((fields[at + 1] ?? 0) - start !== length) continue;
      if (((text.charCodeAt(start) ^ name.charCodeAt(0)) & ~CASE) !== 0) continue;
      const own = text.slice(start, start + length);
      if (own !== name && own.toLowerCase() !== name.toLowerCase()) continue;
      found = found === null ? this.#valueAt(at) : `${found}, ${this.#valueAt(at)}`;
    }
    return found;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  *[Symbol.iterator](): Generator<[name: string, value: string]> {
    for (let at = 0; at < this.fields.length; at += 4) {
      yield [this.text.slice(this.fields[at], this.fields[at + 1]).toLowerCase(), this.#valueAt(at)];
    }
  }

  /** llhttp leaves spaces behind a value. */
  #valueAt(field: number): string {
    const start = this.fields[field + 2] ?? 0;
    let last = this.fields[field + 3] ?? 0;
    while (last > start && isSpace(this.text.charCodeAt(last - 1))) last -= 1;
    return this.text.slice(start, last);
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === TAB;
}

/** The parser that runs: llhttp calls back while it does. */
let running: Parser;

const instance = new WebAssembly.Instance(new WebAssembly.Module(program), {
  env: {
    wasm_on_message_begin: () => OK,
    wasm_on_status: () => OK,
    wasm_on_url: (_: number, at: number, length: number) => running.onTarget(at - memory, length),
    wasm_on_header_field: (_: number, at: number, length: number) => running.onName(at - memory, length),
    wasm_on_header_value: (_: number, at: number, length: number) => running.onValue(at - memory, length),
    wasm_on_headers_complete: () => running.onHead(),
    wasm_on_body: (_: number, at: number, length: number) => running.onBody(at - memory, length),
    wasm_on_message_complete: () => running.onEnd(),
  },
});
const llhttp = instance.exports as Functions;
llhttp._initialize();
/** Where llhttp reads what it parses. */
const memory = llhttp.malloc(MAX_SLICE);
let input = new Uint8Array(llhttp.memory.buffer, memory, MAX_SLICE);

/** What bytes ended with: in the middle of a request, the head of one that has a body, a whole request, or no request. */
export type Step = "part" | "head" | "request" | "malformed body" | Malformation;

/**
 * Parses the requests of one connection with llhttp, which is strict unless it is asked to be lenient. Source: RFC 9112, and
 * https://github.com/nodejs/llhttp.
 */
export class Parser {
  readonly head = new Head();
  /** The size of the body so far, in bytes. */
  size = 0;
  /** How many of the bytes that were last given were parsed. */
  parsed = 0;
  readonly #pointer = llhttp.llhttp_alloc(REQUEST);
  /** The beginning of a method, until all of it is there. */
  #method: Buffer | undefined;
  #state: "before" | "head" | "body" | "end" = "before";
  #body: Buffer[] = [];
  /** Where small chunks of the body are put together, and how much of it is filled. */
  #block: Buffer | undefined;
  #filled = 0;
  /** The size of the body with its framing. */
  #received = 0;
  #slice: Buffer = SUBSTITUTE;
  /** Where the slice begins in the text of the head. */
  #base = 0;

  /** Whether nothing of the next request has come. */
  get isIdle(): boolean {
    return this.#state === "before" && this.#method === undefined;
  }

  /** Whether the head is there, and the rest is not. */
  get isInBody(): boolean {
    return this.#state === "body";
  }

  /** Begins with the next request. */
  next(): void {
    llhttp.llhttp_reset(this.#pointer);
    this.#state = "before";
    this.head.method = "";
    this.head.target = "";
    this.head.text = "";
    this.head.fields.length = 0;
    this.size = 0;
    this.#received = 0;
    this.takeBody();
  }

  /** Gives its memory back. It must not be used afterwards. */
  free(): void {
    llhttp.llhttp_free(this.#pointer);
  }

  /** What has come of the body since the last call. */
  takeBody(): Buffer[] {
    this.#endBlock();
    const body = this.#body;
    if (body.length > 0) this.#body = [];
    return body;
  }

  /** Parses bytes as far as the end of the head of a request that has a body, or of a request. */
  parse(received: Buffer): Step {
    this.parsed = 0;
    let rest = this.#state === "before" ? this.#begin(received) : received;
    for (;;) {
      if (typeof rest === "string") return rest;
      const slice = rest.length > MAX_SLICE ? rest.subarray(0, MAX_SLICE) : rest;
      const step = this.#execute(slice);
      if (step !== "part" || slice === rest) return step;
      rest = rest.subarray(MAX_SLICE);
    }
  }

  /** Returns the bytes for llhttp once the method is there. */
  #begin(received: Buffer): Buffer | Step {
    let start = 0;
    if (this.#method === undefined) while (received[start] === CR || received[start] === LF) start += 1;
    let bytes = start === 0 ? received : received.subarray(start);
    if (this.#method !== undefined) {
      start = -this.#method.length;
      bytes = Buffer.concat([this.#method, received]);
    }
    this.parsed = received.length;
    if (bytes.length === 0) return "part";
    const known = METHODS.find((method) => startsWith(bytes, method.start))?.name;
    if (known === undefined) {
      const end = bytes.indexOf(SPACE);
      const method = bytes.toString("latin1", 0, end === -1 ? bytes.length : end);
      if (!TOKEN.test(method)) return "syntax";
      if (bytes.length > MAX_HEAD && end === -1) return "headers";
      this.#method = Buffer.from(bytes);
      if (end === -1) return "part";
      this.head.method = method;
      start += end - SUBSTITUTE.length;
      bytes = Buffer.concat([SUBSTITUTE, bytes.subarray(end)]);
    } else this.head.method = known;
    this.#method = undefined;
    this.#state = "head";
    this.parsed = start;
    return bytes;
  }

  #execute(slice: Buffer): Step {
    // The memory of the program moves when it grows.
    if (input.length === 0) input = new Uint8Array(llhttp.memory.buffer, memory, MAX_SLICE);
    input.set(slice);
    running = this;
    this.#slice = slice;
    const { head } = this;
    const wasHead = this.#state === "head";
    this.#base = head.text.length;
    if (wasHead) head.text += slice.toString("latin1");
    const result = llhttp.llhttp_execute(this.#pointer, memory, slice.length);
    const parsed = result === OK ? slice.length : llhttp.llhttp_get_error_pos(this.#pointer) - memory;
    this.parsed += parsed;
    // llhttp takes HTTP/0.9 and HTTP/2.0 too, and other protocols.
    if (wasHead && this.#state !== "head") {
      if (llhttp.llhttp_get_http_major(this.#pointer) !== 1) return "version";
      if (!HTTP_LINE.test(head.text)) return "syntax";
    }
    if (result !== OK && result !== PAUSED && this.#state !== "end") return this.#failure(result);
    if (wasHead && this.#headSize > MAX_HEAD) return "headers";
    if (this.#state === "end") return "request";
    if (this.#state === "head") return "part";
    if (wasHead) {
      llhttp.llhttp_resume(this.#pointer);
      return "head";
    }
    this.#received += parsed;
    return this.#received > MAX_FRAMING + BYTES_PER_BYTE * this.size ? "malformed body" : "part";
  }

  #failure(result: number): Step {
    if (this.#state === "body") return "malformed body";
    return result === INVALID_VERSION && OTHER_VERSION.test(this.head.text) ? "version" : "syntax";
  }

  /** The size of the head up to the end of its last value: at least, while it is incomplete. */
  get #headSize(): number {
    const { fields, text } = this.head;
    return this.#state === "head" ? text.length - MAX_BEHIND : (fields.at(-1) ?? 0);
  }

  onTarget(at: number, length: number): number {
    // Not a part of the text: it may be kept for longer than the request.
    this.head.target += this.#slice.toString("latin1", at, at + length);
    return OK;
  }

  onName(at: number, length: number): number {
    // Trailers are ignored.
    if (this.#state !== "head") return OK;
    const { fields } = this.head;
    const start = this.#base + at;
    // One that began in the slice before.
    if (at === 0 && fields.length % 4 === 2 && fields.at(-1) === start) fields[fields.length - 1] = start + length;
    else {
      this.#endValue();
      fields.push(start, start + length);
    }
    return OK;
  }

  onValue(at: number, length: number): number {
    if (this.#state !== "head") return OK;
    const { fields } = this.head;
    const start = this.#base + at;
    if (fields.length % 4 === 0) fields[fields.length - 1] = start + length;
    else fields.push(start, start + length);
    return OK;
  }

  onHead(): number {
    this.#endValue();
    this.#state = "body";
    const { head } = this;
    head.isKeptAlive = llhttp.llhttp_should_keep_alive(this.#pointer) === 1;
    head.version = llhttp.llhttp_get_http_minor(this.#pointer);
    return Number(head.get("Content-Length")) > 0 || head.has("Transfer-Encoding") ? PAUSED : OK;
  }

  onBody(at: number, length: number): number {
    this.size += length;
    const chunk = this.#slice.subarray(at, at + length);
    // A copy: the collector counts its memory, and not that of what Bun has read. Small chunks share one: each of its own
    // would take many times its size.
    if (length > BLOCK / 2 || (this.#body.length === 0 && this.#block === undefined)) {
      this.#endBlock();
      this.#body.push(Buffer.from(chunk));
      return OK;
    }
    if (this.#block === undefined || this.#filled + length > BLOCK) {
      this.#endBlock();
      this.#block = Buffer.allocUnsafeSlow(BLOCK);
    }
    this.#block.set(chunk, this.#filled);
    this.#filled += length;
    return OK;
  }

  onEnd(): number {
    this.#state = "end";
    return PAUSED;
  }

  #endBlock(): void {
    if (this.#block !== undefined) this.#body.push(this.#block.subarray(0, this.#filled));
    this.#block = undefined;
    this.#filled = 0;
  }

  /** Gives the last name an empty value if it has none. */
  #endValue(): void {
    const { fields } = this.head;
    if (fields.length % 4 === 2) fields.push(this.#base, this.#base);
  }
}

function startsWith(bytes: Buffer, start: Buffer): boolean {
  for (let at = 0; at < start.length; at++) if (bytes[at] !== start[at]) return false;
  return true;
}
