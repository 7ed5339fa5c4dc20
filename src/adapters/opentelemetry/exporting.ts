import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

/** Is told when the collector takes nothing any more, and when it does again. */
export type CollectorWatch = { onAway(error: unknown): void; onReturn(): void };

/** Sends spans to a collector by OTLP over HTTP. What cannot be sent is lost, and told once. */
export class CollectorExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #watch: CollectorWatch;
  #isAway = false;

  /** `endpoint` as OTEL_EXPORTER_OTLP_ENDPOINT has it: the address that `v1/traces` is appended to. */
  constructor(endpoint: string, watch: CollectorWatch) {
    this.#exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces` });
    this.#watch = watch;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#answered();
      else this.#failed(result.error);
      // Whoever asked would only tell it once more, each time.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #answered(): void {
    if (this.#isAway) this.#watch.onReturn();
    this.#isAway = false;
  }

  #failed(error: unknown): void {
    if (!this.#isAway) this.#watch.onAway(error);
    this.#isAway = true;
  }
}
