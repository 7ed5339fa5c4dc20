import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { gunzipSync } from "node:zlib";
import { freePort } from "./ports.ts";
import { bytesIn, type Fields, integerIn, messagesIn, readMessage, textIn } from "./protobuf.ts";

type Attributes = Record<string, string | number>;
export type ReceivedSpan = {
  traceId: string;
  spanId: string;
  /** "" for the first span of a trace. */
  parentId: string;
  name: string;
  kind: string;
  attributes: Attributes;
  isError: boolean;
  /** In ms. */
  duration: number;
  resource: Attributes;
};

const KINDS = ["unspecified", "internal", "server", "client", "producer", "consumer"];

/** A collector of traces: OTLP over HTTP, in protobuf (opentelemetry-proto, collector/trace/v1). */
export class Collector {
  readonly port: number;
  readonly spans: ReceivedSpan[] = [];
  /** All bodies, as text. */
  raw = "";
  /** How it handles requests: accepts them, refuses them for good, or never responds. */
  mood: "takes" | "refuses" | "is silent" = "takes";
  /** The headers of the last request. */
  headers: IncomingHttpHeaders = {};
  readonly #server: Server;

  constructor(port: number) {
    this.port = port;
    this.#server = createServer((request, response) => this.#receive(request, response));
  }

  get endpoint(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    this.#server.listen(this.port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (this.mood === "is silent") return;
    const isTraces = request.method === "POST" && request.url === "/v1/traces";
    const isProtobuf = request.headers["content-type"] === "application/x-protobuf";
    if (this.mood === "refuses" || !isTraces || !isProtobuf) {
      response.writeHead(400).end();
      return;
    }
    this.headers = request.headers;
    const sent = Buffer.concat(chunks);
    const body = request.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent;
    this.raw += body.toString("latin1");
    this.spans.push(...spansIn(body));
    response.writeHead(200, { "Content-Type": "application/x-protobuf" }).end();
  }
}

export async function startCollector(): Promise<Collector> {
  const collector = new Collector(await freePort());
  await collector.start();
  return collector;
}

/** Reads an ExportTraceServiceRequest: resources contain scopes, which contain spans. */
function spansIn(body: Uint8Array): ReceivedSpan[] {
  return messagesIn(readMessage(body), 1).flatMap((resourceSpans) => {
    const [resource] = messagesIn(resourceSpans, 1);
    const attributes = resource === undefined ? {} : attributesIn(resource, 1);
    return messagesIn(resourceSpans, 2)
      .flatMap((scopeSpans) => messagesIn(scopeSpans, 2))
      .map((span) => spanOf(span, attributes));
  });
}

function spanOf(span: Fields, resource: Attributes): ReceivedSpan {
  const hex = (number: number) => Buffer.from(bytesIn(span, number)[0] ?? []).toString("hex");
  const nanoseconds = (number: number) => Buffer.from(bytesIn(span, number)[0] ?? new Uint8Array(8)).readBigUInt64LE();
  const [status] = messagesIn(span, 15);
  return {
    traceId: hex(1),
    spanId: hex(2),
    parentId: hex(4),
    name: textIn(span, 5),
    kind: KINDS[Number(integerIn(span, 6))] ?? "",
    attributes: attributesIn(span, 9),
    isError: status !== undefined && integerIn(status, 3) === 2n,
    duration: Number(nanoseconds(8) - nanoseconds(7)) / 1e6,
    resource,
  };
}

/** Strings and integers: the service sends no other values. */
function attributesIn(fields: Fields, number: number): Attributes {
  const entries = messagesIn(fields, number).map((pair): [string, string | number] => {
    const [value = new Map()] = messagesIn(pair, 2);
    return [textIn(pair, 1), value.has(3) ? Number(integerIn(value, 3)) : textIn(value, 1)];
  });
  return Object.fromEntries(entries);
}
