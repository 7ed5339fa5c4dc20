import type { Limits, Plan } from "../../../src/limits/plans.ts";
import type { PetStatus } from "../../../src/pets/pet.ts";

/** What the administration interface answers, as its document (/admin/openapi.json) has it. Moments are RFC 3339. */
export type Role = "viewer" | "admin";
export type Operator = { id: string; name: string; role: Role; createdAt: string; revokedAt: string | null };
export type Session = { operator: Operator; expiresAt: string };

export type KeyState = "active" | "banned" | "expired" | "revoked";
export type Window = { limit: number; used: number; remaining: number; resetAt: string | null };
export type Key = {
  id: string;
  name: string;
  plan: Plan;
  limits: Limits;
  scopes: string[];
  createdAt: string;
  expiresAt: string | null;
  revokedAt: string | null;
  lastUsedAt: string | null;
  lastFour: string;
  state: KeyState;
  usage: { minute: Window; day: Window; strikes: number; bannedUntil: string | null };
};
export type Keys = { keys: Key[]; next: string | null; total: number };
export type IssuedKey = { key: Key; secret: string };

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

/** `categoryId` is its digits: an int64 may be more than a number of JavaScript's can hold. */
export type Pet = { id: number; name: string; categoryId: string; status: PetStatus };
export type Pets = { pets: Pet[]; next: number | null };

export type AuditEntry = {
  id: number;
  at: string;
  operator: { id?: string; name: string };
  action: string;
  target: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  requestId: string | null;
};
export type Audit = { entries: AuditEntry[]; next: number | null };

export type Health = { ok: boolean; latencyMs: number | null };
export type ServiceState = {
  version: string;
  deployment: string;
  baseUrls: Record<string, string>;
  runtime: string;
  startedAt: string;
  uptimeSeconds: number;
  database: Health & { engine: string };
  redis: Health & { configured: boolean };
  nodes: number;
  publicUrl: string;
};
export type Operators = { operators: Operator[] };
