import { timestampOf } from "../timestamp.ts";
import type { Operator } from "./operator.ts";

/** An operator as JSON. The administration interface and the commands have this form. */
export function operatorJson({ id, name, role, createdAt, revokedAt }: Operator) {
  return { id, name, role, createdAt: timestampOf(createdAt), revokedAt: timestampOf(revokedAt) };
}
