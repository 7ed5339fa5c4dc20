import { AsyncLocalStorage } from "node:async_hooks";
import { ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { ExportResultCode, W3CTraceContextPropagator } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { type Awaitable, after, observed } from "../../domain/awaitable.ts";
import { type Instrumentation, type InstrumentedCall, isFailure } from "../../domain/instrumentation.ts";
import { keptPath } from "../../domain/requests.ts";
import { type Simulation, simulationText } from "../../domain/simulation.ts";

/** Called when the collector starts to fail, and when it accepts spans again. */
type CollectorListener = { onFailure(error: unknown): void; onRecovery(): void };

/**
 * Sends spans to a collector by OTLP over HTTP. Drops spans that cannot be sent, and reports the first failure. `endpoint`: the
 * base URL in OTEL_EXPORTER_OTLP_ENDPOINT, to which `v1/traces` is appended.
 */
function collectorExporter(endpoint: string, listener: CollectorListener): SpanExporter {
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces` });
  let wasFailing = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, ({ code, error }) => {
        const isFailing = code !== ExportResultCode.SUCCESS;
        if (isFailing && !wasFailing) listener.onFailure(error);
        if (wasFailing && !isFailing) listener.onRecovery();
        wasFailing = isFailing;
        // The caller would log each failure.
        done({ code: ExportResultCode.SUCCESS });
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** The sampler, by OpenTelemetry's names. `ratio` (0 to 1) applies to those that end in traceidratio. */
type Sampling = {
  sampler: `${"parentbased_" | ""}${"always_on" | "always_off" | "traceidratio"}`;
  ratio: number;
};

function samplerOf({ sampler, ratio }: Sampling): Sampler {
  const isParentBased = sampler.startsWith("parentbased_");
  const root = rootSampler(sampler.replace("parentbased_", ""), ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === "always_off") return new AlwaysOffSampler();
  return name === "always_on" ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
}

type TracingOptions = Sampling & {
  /** The http or https URL of the collector. */
  endpoint: string;
  version: string;
  deployment: string;
};

/** The headers of a request. */
type Headers = Iterable<[name: string, value: string]> & { get(name: string): string | null };

/** The request data of a span. Headers, query and body may contain secrets and are not recorded. */
type TracedRequest = {
  request: { method: string; headers: Headers };
  path: string;
  requestId: string;
  headers: Record<string, string>;
  /** The path of the operation, with parameters in braces. */
  route: { pattern: string | undefined };
  key?: { id: string };
  simulation?: Simulation;
};

/** How long sending the last spans may take on stop, in ms. */
const STOP_TIMEOUT = 2_000;
/** The most spans that wait to be sent. More are dropped, so that memory is bounded while the collector fails. */
const MAX_QUEUE_SIZE = 4_096;
const SEND_INTERVAL = 1_000;
/** In characters. Clients choose the paths. */
const MAX_ATTRIBUTE_LENGTH = 512;

const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT"]);

const propagator = new W3CTraceContextPropagator();
const headersOfRequest = {
  keys: (headers: Headers) => Array.from(headers, ([name]) => name),
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
};

/** Traces requests and their calls of stores, and sends the spans to a collector. */
export class Tracing implements Instrumentation {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #current = new AsyncLocalStorage<Span>();

  constructor({ endpoint, version, deployment, ...sampling }: TracingOptions, listener: CollectorListener) {
    const own = { "service.name": "petstore", "service.version": version, "deployment.environment.name": deployment };
    const resource = defaultResource()
      .merge(resourceFromAttributes(own))
      .merge(detectResources({ detectors: [envDetector] }));
    const processor = new BatchSpanProcessor({
      exporter: collectorExporter(endpoint, listener),
      maxQueueSize: MAX_QUEUE_SIZE,
      scheduledDelayMillis: SEND_INTERVAL,
    });
    this.#provider = new TracerProvider({
      resource,
      sampler: samplerOf(sampling),
      spanProcessors: [processor],
      spanLimits: { attributeValueLengthLimit: MAX_ATTRIBUTE_LENGTH },
    });
    this.#tracer = this.#provider.getTracer("petstore", version);
  }

  /** Answers a request in a span, a child of the caller's if it sent one. The header `traceresponse` names the span. */
  request<E extends TracedRequest, R extends { status: number }>(
    context: E,
    answer: (context: E) => Awaitable<R>,
  ): Awaitable<R> {
    const { request, headers } = context;
    const parent = propagator.extract(ROOT_CONTEXT, request.headers, headersOfRequest);
    const route = context.route.pattern;
    const span = this.#tracer.startSpan(nameOf(request.method, route), { kind: SpanKind.SERVER }, parent);
    headers.traceresponse = headerOf(span);
    // Neither the request nor its calls of stores are recorded.
    if (!span.isRecording()) return answer(context);
    span.setAttributes(attributesOf(context, route));
    return this.#current.run(span, () =>
      after(answer(context), (response) => {
        end(span, response.status, context);
        return response;
      }),
    );
  }

  of(store: string, operation: string): InstrumentedCall {
    const attributes = { "db.system.name": store, "db.operation.name": operation };
    return (call) => {
      const parent = this.#current.getStore();
      if (parent === undefined) return call();
      const context = trace.setSpan(ROOT_CONTEXT, parent);
      const span = this.#tracer.startSpan(operation, { kind: SpanKind.CLIENT, attributes }, context);
      return observed(call, (thrown) => {
        if (thrown !== undefined && isFailure(thrown.error)) {
          span.setAttribute("error.type", thrown.error instanceof Error ? thrown.error.name : "_OTHER");
          span.setStatus({ code: SpanStatusCode.ERROR });
        }
        span.end();
      });
    };
  }

  /** Returns the trace fields for log lines of the current request. */
  ids(): { trace_id?: string; span_id?: string } {
    const context = this.#current.getStore()?.spanContext();
    return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
  }

  /** Sends the last spans. Resolves after a timeout at the latest. */
  async stop(): Promise<void> {
    const timeout = new Promise((resolve) => setTimeout(resolve, STOP_TIMEOUT).unref());
    await Promise.race([this.#provider.shutdown().catch(() => {}), timeout]);
  }
}

/** Names and attributes follow OpenTelemetry's semantic conventions for HTTP servers. */
function nameOf(method: string, route: string | undefined): string {
  const name = METHODS.has(method) ? method : "HTTP";
  return route === undefined ? name : `${name} ${route}`;
}

function attributesOf({ request: { method }, path, requestId }: TracedRequest, route: string | undefined) {
  return {
    "http.request.method": METHODS.has(method) ? method : "_OTHER",
    "url.scheme": "http",
    "url.path": keptPath(path),
    "petstore.request.id": requestId,
    ...(route !== undefined && { "http.route": route }),
  };
}

/** Formats the span for the header `traceresponse` (W3C Trace Context). */
function headerOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}

function end(span: Span, status: number, { key, simulation }: TracedRequest): void {
  span.setAttribute("http.response.status_code", status);
  if (key !== undefined) span.setAttribute("petstore.key.id", key.id);
  if (simulation !== undefined) span.setAttribute("petstore.simulated", simulationText(simulation));
  // A simulated error is no failure of the service.
  if (status >= 500 && simulation?.code === undefined) {
    span.setAttribute("error.type", String(status)).setStatus({ code: SpanStatusCode.ERROR });
  }
  span.end();
}
