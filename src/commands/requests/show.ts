import { Command, InvalidArgumentError } from "commander";
import { PetstoreError } from "../../domain/errors.ts";
import { REQUEST_ID_FORM } from "../../domain/requests/filter.ts";
import { pastRequestJson } from "../../domain/requests/json.ts";
import type { PastRequest, WindowLeft } from "../../domain/requests/request.ts";
import { searchRequests } from "../../domain/requests/search.ts";
import { JSON_OPTION } from "../keys/options.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";
import { columnsOf } from "../table.ts";
import { formatTime } from "../time.ts";

/** A client that sends the same id with each request has its last ones. */
const MOST = 100;

export function showCommand(): Command {
  return new Command("show")
    .description("Show what the requests with an id did, newest first: an id may be sent again.")
    .argument("<requestId>", "the X-Request-Id of a response", parseRequestId)
    .option(...JSON_OPTION)
    .addHelpText("after", "\nExample:\n  petstore requests show fbd34c95-98f9-491d-b18b-464e794901db")
    .action(show);
}

function parseRequestId(text: string): string {
  if (REQUEST_ID_FORM.test(text)) return text;
  throw new InvalidArgumentError("It must be 1 to 128 characters of A-Z, a-z, 0-9, '.', '_' and '-'.");
}

async function show(requestId: string, { json }: { json?: boolean }): Promise<void> {
  await withExistingStores(async ({ requests, config }) => {
    const page = { requestId, limit: MOST };
    const found = await searchRequests(requests, page, config.requestHistory, Date.now());
    if (found.length === 0) throw new PetstoreError("request_not_found");
    print(json, found.map(pastRequestJson), () => found.map((one) => columnsOf(rowsOf(one))).join("\n\n"));
  });
}

function rowsOf(request: PastRequest): string[][] {
  const { at, method, path, operation, keyId, status, duration, simulated, minute, day } = request;
  const { error } = pastRequestJson(request);
  return [
    ["request", request.requestId],
    ["time", formatTime(at)],
    ["call", `${method} ${path}`],
    ["operation", operation],
    ["key", keyId ?? "none that is valid"],
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
