import { firstPageText, PAGE_SIZE, petText } from "./catalogue.ts";
import { FULL } from "./effort.ts";
import { consecutivePages, created, creation, distinct, list, pets, type RequestLine, STRIDE } from "./requests.ts";
import { type Definition, EQUAL, type ServerId } from "./stage.ts";
import type { Tool } from "./tools.ts";

type Operation = { name: string; requests(run: number): RequestLine[]; answer: string | RegExp } & Pick<
  Extract<Definition, { server: ServerId }>,
  "isFresh"
>;

/** The programs in contenders/ that do the service's work by hand. */
export const equalPrograms = ["bun", "go", "rust", "fastify"] as const;
const allPrograms = ["service", ...equalPrograms] as const;
type Program = (typeof allPrograms)[number];

export const programNames: Record<Program, string> = {
  service: "the service",
  bun: "bare Bun",
  go: "Go net/http, mattn",
  rust: "Rust axum, rusqlite",
  fastify: "Fastify, better-sqlite3",
};

/** What a program is compiled with. */
const compilers: Record<Program, Tool[]> = {
  service: [],
  bun: [],
  go: ["go", "cc"],
  rust: ["cargo", "cc"],
  fastify: ["cc"],
};

const reads = ["cached", "page", "filtered", "get"] as const;
const writes = ["create", "patch", "order"] as const;
export const equalOperations = [...reads, ...writes] as const;
type OperationId = (typeof equalOperations)[number];

export const operations: Record<OperationId, Operation> = {
  cached: { name: "cached page", requests: () => [list], answer: firstPageText() },
  page: { name: "page, uncached", requests: pages, answer: /^\[\{"id":1,.*\{"id":20,[^{]*\]$/ },
  filtered: { name: "filtered page, uncached", requests: () => consecutivePages(EQUAL), answer: firstPageText() },
  get: { name: "get by id", requests: () => pets(EQUAL), answer: petText(1) },
  create: { name: "durable creation", requests: () => [creation], answer: created },
  patch: { name: "PATCH", requests: changes, answer: /"status":"sold"\}$/, isFresh: true },
  order: {
    name: "order",
    requests: orders,
    answer: /^\{"id":\d+,"petId":\d+,"pet":\{.*"status":"placed",/,
    isFresh: true,
  },
};

/** An operation of a program. */
export type EqualId = `${Program} ${OperationId}`;

const subjects = new Map<EqualId, Definition>(
  allPrograms.flatMap((program) => [
    ...reads.map((id) => definition(program, id, `${program}Read`)),
    ...writes.map((id) => definition(program, id, `${program}Written`)),
  ]),
);
const toolsOf = new Map<ServerId, Tool[]>(
  allPrograms.flatMap((program): [ServerId, Tool[]][] => [
    [`${program}Read`, compilers[program]],
    [`${program}Written`, compilers[program]],
  ]),
);

function definition(program: Program, id: OperationId, server: ServerId): [EqualId, Definition] {
  const operation = operations[id];
  return [`${program} ${id}`, { ...operation, name: `${operation.name}: ${programNames[program]}`, server }];
}

/** @throws when there is none */
export function equalSubject(id: EqualId): Definition {
  const found = subjects.get(id);
  if (found === undefined) throw new Error(`There is no subject ${id}.`);
  return found;
}

/** What a server is compiled with, if it has equal work. */
export function compilersOf(server: ServerId): Tool[] {
  return toolsOf.get(server) ?? [];
}

/** All pets page by page, in URLs that no cache has. */
function pages(): RequestLine[] {
  return distinct((i) => `GET /v1/pets?limit=${PAGE_SIZE}&after=${(i * PAGE_SIZE) % EQUAL}&turn=${i}`);
}

/** One subject's requests in one run name pets of their own: a pet can be ordered once. The first run checks a response. */
const RUNS = 1 + 1 + FULL.rounds;

/** Of ten pets one is sold, and available again. */
function changes(run: number): RequestLine[] {
  const ids = idsOf(run, (group) => group === 0);
  return ["sold", "available"].flatMap((status) => ids.map((id) => `PATCH /v1/pets/${id} {"status":"${status}"}`));
}

/** The others are ordered. */
function orders(run: number): RequestLine[] {
  return idsOf(run, (group) => group > 0).map((id) => `POST /v1/store/orders {"petId":${id}}`);
}

function idsOf(run: number, isInGroup: (group: number) => boolean): number[] {
  const ids = Array.from({ length: EQUAL }, (_, i) => ((i * STRIDE) % EQUAL) + 1);
  return ids.filter((id) => Math.floor(id / 10) % RUNS === run && isInGroup(id % 10));
}
