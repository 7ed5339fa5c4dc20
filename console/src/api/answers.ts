import type { z } from "zod";
import type * as schemas from "../../../src/http/admin/schemas.ts";

/** What the administration interface answers: the schemas that its own document is made of. Moments are RFC 3339. */
export type Operator = z.infer<typeof schemas.Operator>;
export type Role = Operator["role"];
export type Session = z.infer<typeof schemas.Session>;
export type AppointedOperator = z.infer<typeof schemas.AppointedOperator>;
export type Operators = z.infer<typeof schemas.Operators>;
export type Key = z.infer<typeof schemas.Key>;
export type KeyState = Key["state"];
export type Window = NonNullable<Key["usage"]>["minute"];
export type Keys = z.infer<typeof schemas.Keys>;
export type IssuedKey = z.infer<typeof schemas.IssuedKey>;
export type Audit = z.infer<typeof schemas.AuditEntries>;
export type AuditEntry = Audit["entries"][number];
export type ServiceState = z.infer<typeof schemas.State>;

export type StatusClass = "2xx" | "4xx" | "429" | "5xx";
export type Operation = "listPets" | "createPet" | "getPet" | "getUsage" | "other";
export type ByClass = Record<StatusClass, number>;
export type Point = { at: string; requests: number; byClass: ByClass; byOperation: Record<Operation, number> };
export type Resolution = "minute" | "hour" | "day";
export type Usage = { resolution: Resolution; from: string; to: string; points: Point[] };

export type Latency = { p50: number; p95: number; p99: number };
export type Span = {
  requests: number;
  byClass: ByClass;
  refusals: number;
  bans: number;
  latency: Latency;
  points: Point[];
};
export type Overview = {
  now: string;
  /** The last minute, and what was counted since the start. */
  live: Span & { total: ByClass };
  hour: Span;
  day: Span;
  month: Span;
  keys: { total: number; active: number; banned: number };
};

export type Caller = { keyId: string; keyName: string; calls: number; lastCalledAt: string; userAgent: string | null };
export type DeprecatedOperation = {
  operation: Operation;
  deprecatedAt: string;
  removedAt: string;
  daysLeft: number;
  replacement: string;
  callers: Caller[];
};
export type Deprecations = { operations: DeprecatedOperation[] };

type PetPage = z.infer<typeof schemas.PetPage>;
/** `categoryId` is its digits: an int64 may be more than a number of JavaScript's can hold. */
export type Pet = Omit<PetPage["pets"][number], "categoryId" | "id"> & { id: number; categoryId: string };
export type Pets = { pets: Pet[]; next: PetPage["next"] };
