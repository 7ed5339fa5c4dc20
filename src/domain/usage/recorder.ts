import type { Decision } from "../limits/limiter.ts";

/** What is asked of the interface; `other` is whatever no operation answers, from wrong paths to preflights. */
export const operations = ["listPets", "createPet", "getPet", "getUsage", "other"] as const;
export type Operation = (typeof operations)[number];

/** A request under /v1 that was answered, with whatever status. */
export type Answered = {
  /** Undefined for a stranger: without a valid key. */
  keyId: string | undefined;
  operation: Operation;
  method: string;
  status: number;
  /** From its arrival until its answer was made, in ms. */
  duration: number;
  /** When it was answered, in Unix milliseconds. */
  at: number;
  /** What the limits made of it; undefined where they were not asked. */
  decision: Decision | undefined;
};

/** Is told of every request under /v1, once, after its answer is made. It is on the way of every request: it only counts. */
export interface RequestRecorder {
  record(request: Answered): void;
}

const PETS = "/v1/pets";
const PET = "/v1/pets/";
const USAGE = "/v1/usage";

/** The operation that a method and a path ask for, by the same rules as the routes, also for a request that was refused. */
export function operationOf(method: string, path: string): Operation {
  if (method === "POST") return path === PETS ? "createPet" : "other";
  if (method !== "GET" && method !== "HEAD") return "other";
  if (path === PETS) return "listPets";
  if (path === USAGE) return "getUsage";
  const isPet = path.length > PET.length && path.startsWith(PET) && !path.includes("/", PET.length);
  return isPet ? "getPet" : "other";
}

/** The operation of this name, as it was written down; one that a later version knows is `other` here. */
export function operationNamed(name: string): Operation {
  return operations.find((operation) => operation === name) ?? "other";
}
