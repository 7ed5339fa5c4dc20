import { statusOf } from "../../src/adapters/http/responses.ts";
import { administrationErrors, type ErrorCode, publicErrors } from "../../src/domain/errors.ts";

type Statuses = Record<string, number>;

/** The error codes of each interface, with their statuses. */
export const publicStatuses = statusesOf(publicErrors);
export const administrationStatuses = statusesOf(administrationErrors);

function statusesOf(errors: Partial<Record<ErrorCode, unknown>>): Statuses {
  const codes = Object.keys(errors) as ErrorCode[];
  return Object.fromEntries(codes.map((code) => [code, statusOf(code)]));
}
