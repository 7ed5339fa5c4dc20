import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

/** Called when the collector starts to fail, and when it accepts spans again. */
export type CollectorListener = { onFailure(error: unknown): void; onRecovery(): void };

/** Sends spans to a collector by OTLP over HTTP. Drops spans that cannot be sent, and reports the first failure. */
export class CollectorExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #listener: CollectorListener;
  #isFailing = false;

  /** `endpoint`: the base URL in OTEL_EXPORTER_OTLP_ENDPOINT, to which `v1/traces` is appended. */
  constructor(endpoint: string, listener: CollectorListener) {
    this.#exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces` });
    this.#listener = listener;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#succeeded();
      else this.#failed(result.error);
      // The caller would log each failure.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.#exporter.shutdown();
  }

  #succeeded(): void {
    if (this.#isFailing) this.#listener.onRecovery();
    this.#isFailing = false;
  }

  #failed(error: unknown): void {
    if (!this.#isFailing) this.#listener.onFailure(error);
    this.#isFailing = true;
  }
}
