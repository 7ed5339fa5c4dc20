import { errorCatalogue } from "../error-catalogue.ts";
import { timestampOf } from "../timestamp.ts";
import type { PastRequest } from "./request.ts";

/** A request of the history for JSON. Another version may know other codes. */
export function pastRequestJson(past: PastRequest) {
  const { at, keyId, error, simulated, minute, day } = past;
  return {
    id: past.id,
    requestId: past.requestId,
    at: timestampOf(at),
    keyId: keyId ?? null,
    operation: past.operation,
    method: past.method,
    path: past.path,
    status: past.status,
    error: error === undefined ? null : { code: error, message: meaningOf(error) },
    duration: past.duration,
    simulated: simulated ?? null,
    limits: minute === undefined ? null : { minute, day: day ?? null },
  };
}

function meaningOf(code: string): string {
  return Object.entries(errorCatalogue).find(([name]) => name === code)?.[1].message ?? "";
}
