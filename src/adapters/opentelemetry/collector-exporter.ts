import { type ExportResult, ExportResultCode } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import type { ReadableSpan, SpanExporter } from "@opentelemetry/sdk-trace";

/** Is notified when the collector begins to fail, and when it takes spans again. */
export type CollectorListener = { onFailure(error: unknown): void; onRecovery(): void };

/** Sends spans to a collector by OTLP over HTTP. Spans that cannot be sent are dropped; the first failure is reported. */
export class CollectorExporter implements SpanExporter {
  readonly #exporter: SpanExporter;
  readonly #listener: CollectorListener;
  #isFailing = false;

  /** `endpoint` as OTEL_EXPORTER_OTLP_ENDPOINT has it: the address that `v1/traces` is appended to. */
  constructor(endpoint: string, listener: CollectorListener) {
    this.#exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, "")}/v1/traces` });
    this.#listener = listener;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#exporter.export(spans, (result) => {
      if (result.code === ExportResultCode.SUCCESS) this.#succeeded();
      else this.#failed(result.error);
      // The caller would only log each failure once more.
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
