import { timestampOf } from "../timestamp.ts";
import type { Operator } from "./operator.ts";

/** An operator as JSON, for the administration interface and the commands. */
export function operatorJson({ id, name, role, createdAt, revokedAt }: Operator) {
  return { id, name, role, createdAt: timestampOf(createdAt), revokedAt: timestampOf(revokedAt) };
}
