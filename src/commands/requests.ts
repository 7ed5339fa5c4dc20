import { setTimeout as pause } from "node:timers/promises";
import { Option } from "commander";
import { searchRequests } from "../adapters/history/search.ts";
import { PetstoreError, publicErrors } from "../domain/errors.ts";
import { toJson } from "../domain/json.ts";
import {
  isPastRequestId,
  keyIdsNamed,
  keyNamesOf,
  MOST_OF_ONE_ID,
  type PastRequest,
  parseStatuses,
  pastRequestJson,
  REQUEST_ID_FORM,
  type RequestFilter,
  type StatusFilter,
  type WindowLeft,
} from "../domain/requests.ts";
import { shareText } from "../domain/text.ts";
import { columnsOf, type ListOptions, printList, rangeOptions } from "./lists.ts";
import { anyOfOption, defineGroup, type JsonOption, parser, textParser, timeOption, wordsOf } from "./options.ts";
import { formatTime, print } from "./output.ts";
import { type CommandStores, defineStoreCommand } from "./stores.ts";

type RequestListOptions = ListOptions<string> & {
  key?: string;
  operation?: string[];
  status?: StatusFilter;
  error?: string[];
  since?: number;
  until?: number;
  follow?: boolean;
};

const PAGE_SIZE = 100;
/** How often the history is asked for new requests, in ms. */
const POLL = 500;
/** After so long a request is in the history, in ms: each process writes its own within a second. */
const LATEST = 3_000;

const parseStatusArgument = parser(
  parseStatuses,
  "must be statuses such as 404, or classes such as 4xx, separated by commas",
);
const parseId = textParser(isPastRequestId, "must be the id that the end of the page before shows");

const list = defineStoreCommand({
  name: "list",
  description: "List requests, newest first. The last second may be missing.",
  options: [
    ["--key <text>", "only requests with keys whose id, name or owner contains this text"],
    ["--operation <ids>", "only these operations, separated by commas, such as listPets", wordsOf],
    ["--status <statuses>", "only these statuses, or classes such as 4xx, separated by commas", parseStatusArgument],
    anyOfOption("--error <codes>", "only these error codes", Object.keys(publicErrors)),
    timeOption("--since <time>", "only requests since then"),
    timeOption("--until <time>", "only requests before then"),
    new Option("--follow", "go on with new requests as they come, each as a line of JSON, until Ctrl+C").conflicts([
      ...["since", "until", "after", "limit"],
    ]),
    ...rangeOptions("requests", parseId),
  ],
  examples: [
    "petstore requests list --status 5xx --since 2026-12-01",
    "petstore requests list --key key_4kTn0aWq7JbYcX2z --error key_banned --json",
    'petstore requests list --key "My app" --status 4xx,5xx --follow',
  ],
  action: async (stores, options: RequestListOptions) => {
    const { key, operation, status, error, since: from, until: to, after } = options;
    const keyIds = key === undefined ? undefined : await keyIdsNamed(stores.keys, key, Date.now());
    const filter = { keyIds, operation, status, error };
    if (options.follow) return follow(stores, filter);
    return printList(
      {
        pages: namedPagesOf(stores, { ...filter, from, to }, after),
        json: ({ names, ...one }) => pastRequestJson(one, names),
        head: ["TIME", "STATUS", "METHOD", "PATH", "KEY"],
        flexible: "PATH",
        row: ({ at, status, method, path, keyId = "" }) => [formatTime(at), String(status), method, path, keyId],
        detail: ({ requestId, error, keyId = "", names }) =>
          [requestId, names.get(keyId), error].filter(Boolean).join(" · "),
        none: "No request matches.",
        note: shareText(stores.config.requestHistory),
      },
      options,
    );
  },
});

async function* pagesOf({ requests, config }: CommandStores, filter: RequestFilter, start: string | undefined) {
  for (let before = start; ; ) {
    const asked = { ...filter, limit: PAGE_SIZE, before };
    const page = await searchRequests(requests, asked, config.requestHistory, Date.now());
    if (page.length > 0) yield page;
    if (page.length < PAGE_SIZE) return;
    before = page.at(-1)?.id;
  }
}

/** The same, each request with the names of the keys of its page. */
async function* namedPagesOf(stores: CommandStores, filter: RequestFilter, start: string | undefined) {
  for await (const page of pagesOf(stores, filter, start)) {
    const names = await keyNamesOf(stores.keys, page);
    yield page.map((one) => ({ ...one, names }));
  }
}

/** Prints the requests from now on, each once, and never ends by itself. */
async function follow(stores: CommandStores, filter: RequestFilter): Promise<void> {
  const start = Date.now();
  let printed = new Set<string>();
  for (;;) {
    const found: PastRequest[] = [];
    const from = Math.max(start, Date.now() - LATEST);
    for await (const page of pagesOf(stores, { ...filter, from }, undefined)) found.push(...page);
    const names = await keyNamesOf(stores.keys, found);
    for (const one of found.reverse()) {
      if (!printed.has(one.id)) process.stdout.write(`${toJson(pastRequestJson(one, names))}\n`);
    }
    printed = new Set(found.map(({ id }) => id));
    await pause(POLL);
  }
}

const parseRequestId = textParser(
  (text) => REQUEST_ID_FORM.test(text),
  "must be 1 to 128 characters of A-Z, a-z, 0-9, '.', '_' and '-'",
);

const show = defineStoreCommand({
  name: "show",
  description: "Show what the requests with an id did, newest first: an id may be sent again.",
  arguments: [["<requestId>", "the X-Request-Id of a response", parseRequestId]],
  examples: ["petstore requests show fbd34c95-98f9-491d-b18b-464e794901db"],
  action: async ({ requests, config, keys }, requestId: string, { json }: JsonOption) => {
    const page = { requestId, limit: MOST_OF_ONE_ID };
    const found = await searchRequests(requests, page, config.requestHistory, Date.now());
    if (found.length === 0) throw new PetstoreError("request_not_found");
    const names = await keyNamesOf(keys, found);
    const values = found.map((one) => pastRequestJson(one, names));
    print(json, values, () => found.map((one) => columnsOf(rowsOf(one, names))).join("\n\n"));
  },
});

function rowsOf(request: PastRequest, names: ReadonlyMap<string, string>): string[][] {
  const { at, method, path, operation, keyId, status, duration, simulated, minute, day } = request;
  const { error, keyName } = pastRequestJson(request, names);
  return [
    ["request", request.requestId],
    ["time", formatTime(at)],
    ["call", `${method} ${path}`],
    ["operation", operation],
    ["key", keyId === undefined ? "none that is valid" : [keyId, keyName].filter(Boolean).join(" · ")],
    ["status", error === null ? String(status) : `${status} ${error.code}: ${error.message}`],
    ["duration", `${duration} ms`],
    ...(simulated === undefined ? [] : [["simulated", simulated]]),
    ...(minute === undefined ? [] : [["minute", leftText(minute)]]),
    ...(day === undefined ? [] : [["day", leftText(day)]]),
  ];
}

function leftText({ limit, remaining }: WindowLeft): string {
  return `${remaining.toLocaleString("en")} of ${limit.toLocaleString("en")} left`;
}

export const requestsCommand = defineGroup(
  "requests",
  "Search the requests that the service has answered lately. Works while the service runs.",
  [list, show],
);
