import { STATUS_CODES } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { App } from "../http/app.ts";
import type { Malformation } from "../http/malformed.ts";
import {
  type Connection,
  CUT,
  type HttpRequest,
  type HttpResponse,
  hasValidHost,
  MAX_BODY_BYTES,
  urlOf,
} from "../http/request.ts";
import { Parser } from "./parser.ts";
import { Upload } from "./upload.ts";

/** What a connection needs of a runtime's socket. */
export interface Socket {
  readonly address: string;
  /** Returns whether the system has taken all that was written so far: otherwise `drained` is called once it has. */
  write(data: string | Uint8Array, more?: string | Uint8Array): boolean;
  /** Ends the sending side once everything is written. */
  end(): void;
  /** Closes the connection, even if something is still to be read or written. */
  destroy(): void;
  pause(): void;
  resume(): void;
}

/** What connections of a listener share. */
export type Shared = {
  app: App;
  /** Resolves when requests may be handled again; undefined when they may now. */
  opening(): Promise<void> | undefined;
  /** Counts seconds. */
  second: number;
};

/** Within so many seconds a head must arrive after its first byte, a body after its head, and a request after a response. */
const TIMEOUT = 10;
/** The least bytes that a client must read in a second. */
const MIN_RATE = 16 * 1024;
/** The most bytes that the system keeps for a client that does not read them. */
const MAX_BUFFERED = 4 * 1024 * 1024;
/** How many bytes of further requests are kept while a request is handled, and of a body that is read as it arrives. */
const MAX_UNREAD = 64 * 1024;
const MAX_UNREAD_BODY = 256 * 1024;
/** How long a connection that ends is read, so that the client is not reset before it has the response, in ms. */
const LINGER_TIMEOUT = 1_000;
/** How many bytes of it are read, and how long a client that sends more has then, in ms. */
const MAX_LINGERING = 64 * 1024;
const GRACE_PERIOD = 300;

/** Why the rest of a body does not come. */
const GONE = "the connection has ended";

const NOTHING = Buffer.alloc(0);
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
/** No value of a header may have one: what follows would be another header. */
const LINE_BREAK = /[\r\n]/;

/** The header Date of the current second. */
let date = { second: 0, line: "" };

function dateLine(): string {
  const second = Math.floor(Date.now() / 1_000);
  if (second !== date.second) date = { second, line: `Date: ${new Date(second * 1_000).toUTCString()}\r\n` };
  return date.line;
}

const statusLines = new Map(
  Object.entries(STATUS_CODES).map(([status, reason]) => [Number(status), `HTTP/1.1 ${status} ${reason}\r\n`]),
);

/**
 * One connection. It handles a request once all of it has been parsed, and the next one after the response: a request that is
 * refused as malformed was not handled, and responses come in the order of their requests (RFC 9112, 9.3.2).
 */
export class HttpConnection implements Connection {
  readonly #socket: Socket;
  readonly #shared: Shared;
  readonly #onClose: () => void;
  readonly #parser = new Parser();
  #state: "reading" | "handling" | "ending" | "closed" = "reading";
  /** What has arrived behind the request that is handled. */
  #unread: Buffer = NOTHING;
  #isPaused = false;
  /** Set while the system takes no more data. */
  #draining: PromiseWithResolvers<void> | undefined;
  /** The bytes of the response so far. */
  #sent = 0;
  /** The second at which it times out; 0 while it waits for the service itself. */
  #expiresAt = 0;
  /** The request whose head is there: with a body, before the body is. */
  #url: string | undefined;
  /** The largest body that its operation takes. */
  #maxBytes = MAX_BODY_BYTES;
  /** The body that an operation reads as it arrives. */
  #upload: Upload | undefined;
  /** The bytes that were read since the connection began to end. */
  #lingered = 0;
  #isLast = false;
  /** Whether the client has ended its sending side. */
  #hasEnded = false;
  #abort: AbortController | undefined;
  /** The body that is sent as it comes. */
  #body: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(socket: Socket, shared: Shared, onClose: () => void) {
    this.#socket = socket;
    this.#shared = shared;
    this.#onClose = onClose;
    this.#restartTimeout();
  }

  address(): string {
    return this.#socket.address;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#hasEnded || this.#state === "closed") this.#abort.abort();
    return this.#abort.signal;
  }

  /** Data has arrived. */
  received(bytes: Buffer): void {
    if (this.#state === "ending") this.#linger(bytes.length);
    else if (this.#isReadable) this.#read(bytes);
    else {
      this.#unread = this.#unread.length === 0 ? bytes : Buffer.concat([this.#unread, bytes]);
      if (this.#unread.length > MAX_UNREAD) this.#pause();
    }
  }

  /**
   * The client has ended its sending side: most close the whole connection, which looks the same. It still gets the
   * responses to what it has sent, but no more than the response itself is waited for.
   */
  ended(): void {
    this.#hasEnded = true;
    this.#abort?.abort();
    if (this.#state === "reading" && this.#draining === undefined) this.#endRequests();
    else this.#upload?.fail(GONE);
  }

  /** The system has taken all that was written. */
  drained(): void {
    this.#draining?.resolve();
    this.#draining = undefined;
    this.#expiresAt = 0;
    if (!this.#isReadable) return;
    this.#restartTimeout();
    this.#readOn();
    if (this.#isLast) this.finish();
  }

  /** The connection is closed. */
  closed(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#abort?.abort();
    this.#cancelBody();
    this.#upload?.fail(GONE);
    this.#draining?.resolve();
    this.#parser.free();
    this.#onClose();
  }

  /** Ends the connection if it is past its time-out. */
  expire(): void {
    if (this.#expiresAt === 0 || this.#shared.second < this.#expiresAt) return;
    if (this.#draining !== undefined) this.destroy();
    else if (this.#upload !== undefined) this.#upload.fail(`nothing of it arrived for ${TIMEOUT} seconds`);
    else if (this.#state !== "reading") return;
    else if (this.#parser.isInBody) this.#handle("late");
    else if (this.#parser.isIdle) this.destroy();
    else this.#refuse("timeout");
  }

  /** Ends the connection as soon as it has no request. */
  finish(): void {
    this.#isLast = true;
    if (this.#state === "reading" && this.#parser.isIdle && this.#draining === undefined) this.#end();
  }

  destroy(): void {
    if (this.#state !== "closed") this.#socket.destroy();
  }

  #restartTimeout(): void {
    this.#expiresAt = this.#shared.second + TIMEOUT + 1;
  }

  #pause(): void {
    if (!this.#isPaused) this.#socket.pause();
    this.#isPaused = true;
  }

  #resume(): void {
    if (this.#isPaused) this.#socket.resume();
    this.#isPaused = false;
  }

  /** Goes on with what has arrived meanwhile. */
  #readOn(): void {
    const unread = this.#unread;
    this.#unread = NOTHING;
    this.#resume();
    this.#read(unread);
    if (this.#hasEnded && this.#state === "reading" && this.#draining === undefined) this.#endRequests();
  }

  /** Parses requests, and handles them one after the other. */
  #read(bytes: Buffer): void {
    const parser = this.#parser;
    let rest = bytes;
    while (rest.length > 0 && this.#isReadable) {
      const wasIdle = parser.isIdle;
      const step = parser.parse(rest);
      rest = parser.parsed === rest.length ? NOTHING : rest.subarray(parser.parsed);
      if (wasIdle && !parser.isIdle) this.#restartTimeout();
      this.#take(step, rest.length === 0);
    }
    if (rest.length > 0 && this.#state !== "ending") this.#unread = rest;
  }

  get #isReadable(): boolean {
    const isUploading = this.#upload !== undefined && !this.#upload.isEnded && this.#upload.failure === undefined;
    return this.#draining === undefined && (this.#state === "reading" || (this.#state === "handling" && isUploading));
  }

  #take(step: ReturnType<Parser["parse"]>, isAll: boolean): void {
    const upload = this.#upload;
    if (upload !== undefined) {
      for (const chunk of this.#parser.takeBody()) upload.push(chunk);
      if (step === "request") upload.end();
      else if (step !== "part") upload.fail("its framing is malformed");
      else this.#restartTimeout();
      if (step !== "part" || upload.size > MAX_UNREAD_BODY) this.#expiresAt = 0;
      if (upload.size > MAX_UNREAD_BODY) this.#pause();
    } else if (step === "head") {
      this.#begin(isAll);
    } else if (step === "part") {
      if (this.#parser.size > this.#maxBytes) this.#handle("too large");
    } else if (step === "malformed body") {
      this.#handle("malformed");
    } else if (step !== "request") {
      this.#refuse(step);
    } else if (this.#parser.size > this.#maxBytes) {
      this.#handle("too large");
    } else if (this.#url !== undefined || this.#hasValidHead()) {
      const body = this.#parser.takeBody();
      this.#handle(body.length === 1 ? (body[0] ?? NOTHING) : body.length === 0 ? NOTHING : Buffer.concat(body));
    }
  }

  /** Begins with the body of a request. `isAll`: nothing of the body has come yet. */
  #begin(isAll: boolean): void {
    if (!this.#hasValidHead()) return;
    this.#restartTimeout();
    const { head } = this.#parser;
    const { app } = this.#shared;
    const isUpload = app.readsBody?.(head.method, this.#url ?? "") ?? false;
    this.#maxBytes = app.maxBytes?.(head.method, this.#url ?? "") ?? MAX_BODY_BYTES;
    if (!isUpload && Number(head.get("Content-Length")) > this.#maxBytes) {
      this.#handle("too large");
      return;
    }
    if (isAll && head.version === 1 && head.get("Expect")?.toLowerCase() === "100-continue") this.#write(CONTINUE);
    if (!isUpload) return;
    const upload: Upload = new Upload(() => {
      if (!this.#isPaused || upload.size > MAX_UNREAD_BODY) return;
      this.#restartTimeout();
      this.#resume();
    });
    this.#upload = upload;
    this.#handle(upload);
    this.#restartTimeout();
  }

  /** Checks what llhttp does not, and otherwise refuses the request (RFC 9112, 3.2 and 6.1). */
  #hasValidHead(): boolean {
    const { head } = this.#parser;
    const host = head.get("Host");
    const coding = head.get("Transfer-Encoding");
    // An older client knows no codings, and this side only the last one that there must be.
    const isFramed = coding === null || (head.version === 1 && coding.toLowerCase() === "chunked");
    const url = urlOf(head.method, head.target);
    if (!isFramed || (head.version === 1 && host === null) || !hasValidHost(host ?? "") || url === undefined) {
      this.#refuse("syntax");
      return false;
    }
    this.#url = url;
    return true;
  }

  /** Has the app respond. After a request that did not come whole the connection ends. */
  #handle(body: HttpRequest["body"]): void {
    this.#state = "handling";
    this.#expiresAt = 0;
    const { head } = this.#parser;
    const request: HttpRequest = { method: head.method, url: this.#url ?? "", headers: head, body };
    if (typeof body === "string") this.#isLast = true;
    const respond = () => this.#shared.app.respond(request, this);
    const response = this.#shared.opening()?.then(respond) ?? respond();
    if (!(response instanceof Promise)) {
      this.#respond(response);
      return;
    }
    const finished = response.then((made) => {
      this.#respond(made);
      if (this.#state === "reading") this.#readOn();
    });
    // The app never fails.
    finished.catch(() => this.destroy());
  }

  #refuse(malformation: Malformation): void {
    this.#isLast = true;
    this.#send(this.#shared.app.refuse(malformation, this), this.#parser.head.method === "HEAD");
    this.#next();
  }

  #respond(response: HttpResponse): void {
    if (this.#state === "closed" || response === CUT) {
      cancel(response.body);
      this.#end();
      return;
    }
    const { head } = this.#parser;
    const isUnread = this.#upload !== undefined && !this.#upload.isEnded && !(response.body instanceof ReadableStream);
    if (isUnread || !head.isKeptAlive || head.method === "CONNECT" || response.headers.Connection === "close") {
      this.#isLast = true;
    }
    if (response.body instanceof ReadableStream) void this.#stream(response, response.body);
    else {
      this.#send(response, head.method === "HEAD");
      this.#next();
    }
  }

  /** Begins with the next request, or ends the connection. */
  #next(): void {
    if (this.#state === "closed") return;
    if (this.#isLast) {
      this.#end();
      return;
    }
    this.#parser.next();
    this.#url = undefined;
    this.#upload = undefined;
    this.#state = "reading";
    if (this.#draining !== undefined) return;
    this.#sent = 0;
    this.#restartTimeout();
  }

  #write(data: string | Uint8Array, more: string | Uint8Array = ""): void {
    this.#sent += data.length + more.length;
    if (this.#socket.write(data, more)) return;
    this.#draining ??= Promise.withResolvers();
    this.#restartTimeout();
    // Nobody sees how much of what the system has taken the client has read.
    this.#expiresAt += Math.ceil(Math.min(this.#sent, MAX_BUFFERED) / MIN_RATE);
  }

  /** Sends a response whose body is there. */
  #send({ status, headers, body }: HttpResponse, isHead: boolean): void {
    const length = body === null || body instanceof ReadableStream ? 0 : Buffer.byteLength(body);
    const hasLength = status !== 204 && status !== 304;
    const head = this.#headOf(status, headers, hasLength ? `Content-Length: ${length}\r\n` : "");
    if (isHead || body === null || body instanceof ReadableStream) this.#write(head);
    else this.#write(head, body);
  }

  /** @throws when the value of a header has a line break */
  #headOf(status: number, headers: Record<string, string>, framing: string): string {
    let text = statusLines.get(status) ?? `HTTP/1.1 ${status} \r\n`;
    for (const name in headers) {
      const value = headers[name] ?? "";
      if (LINE_BREAK.test(value)) throw new Error(`the header ${name} has a line break`);
      text += `${name}: ${value}\r\n`;
    }
    if (this.#isLast && headers.Connection === undefined) text += "Connection: close\r\n";
    else if (!this.#isLast && this.#parser.head.version === 0) text += "Connection: keep-alive\r\n";
    return `${text}${headers.Date === undefined ? dateLine() : ""}${framing}\r\n`;
  }

  /** Sends a response as its body comes: in chunks, unless its length is known or the client knows no chunks. */
  async #stream({ status, headers }: HttpResponse, body: ReadableStream<Uint8Array>): Promise<void> {
    const { head } = this.#parser;
    const isChunked = headers["Content-Length"] === undefined && head.version === 1;
    if (!isChunked && headers["Content-Length"] === undefined) this.#isLast = true;
    const reader = body.getReader();
    this.#body = reader;
    if (this.#state === "closed") this.#cancelBody();
    try {
      this.#write(this.#headOf(status, headers, isChunked ? "Transfer-Encoding: chunked\r\n" : ""));
      if (head.method === "HEAD") this.#cancelBody();
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        if (isChunked) this.#write(`${read.value.length.toString(16)}\r\n`);
        this.#write(read.value);
        if (isChunked) this.#write("\r\n");
        await this.#draining?.promise;
      }
      // The body may have been cancelled before its end.
      if (this.#state === "closed") return;
      if (isChunked && head.method !== "HEAD") this.#write("0\r\n\r\n");
    } catch {
      // The client sees that the body is incomplete.
      this.destroy();
      return;
    } finally {
      this.#body = undefined;
    }
    if (this.#upload !== undefined && !this.#upload.isEnded) this.#isLast = true;
    this.#next();
    if (this.#state === "reading") this.#readOn();
  }

  #cancelBody(): void {
    void this.#body?.cancel().catch(() => {});
  }

  /** What the client sent before it ended its side is whole, or no request. */
  #endRequests(): void {
    if (this.#parser.isInBody) this.#handle("incomplete");
    else if (this.#parser.isIdle) this.#end();
    else this.#refuse("syntax");
  }

  /**
   * Ends the connection. It is read for a while: closing it while data arrives would reset it, and the client lose the response
   * (RFC 9112, 9.6).
   */
  #end(): void {
    if (this.#state === "closed") return;
    this.#state = "ending";
    if (this.#draining === undefined) this.#expiresAt = 0;
    this.#upload?.fail(GONE);
    this.#socket.end();
    this.#resume();
    const unread = this.#unread.length;
    this.#unread = NOTHING;
    void pause(LINGER_TIMEOUT, undefined, { ref: false }).then(() => this.#destroyDrained());
    this.#linger(unread);
  }

  #linger(bytes: number): void {
    const before = this.#lingered;
    this.#lingered += bytes;
    if (before > MAX_LINGERING || this.#lingered <= MAX_LINGERING) return;
    this.#pause();
    void pause(GRACE_PERIOD, undefined, { ref: false }).then(() => this.#destroyDrained());
  }

  /** A client that reads slowly gets all of its response, unless it stops. */
  #destroyDrained(): void {
    if (this.#draining === undefined) this.destroy();
    else void this.#draining.promise.then(() => this.destroy());
  }
}

function cancel(body: HttpResponse["body"]): void {
  if (body instanceof ReadableStream) body.cancel().catch(() => {});
}
