import type { Operator } from "../../domain/operators/operator.ts";
import { isoOf } from "../time.ts";

/** An operator as scripts read it. */
export function summaryOf({ id, name, role, createdAt, revokedAt }: Operator) {
  return { id, name, role, createdAt: isoOf(createdAt), revokedAt: isoOf(revokedAt) };
}
