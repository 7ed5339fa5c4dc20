import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { bearer } from "../../../support/client.ts";
import { besideLoad } from "../../../support/eventually.ts";
import { percentile, waitedForProcessor } from "../../../support/load.ts";
import { useKey, useOperator, useService } from "../../../support/use-service.ts";

/**
 * The 99th percentile of the response times of public requests during an import, in ms, without the time for which the service
 * and this process waited for a processor.
 */
const SOON = 100;
/** By how much the service's memory may grow during an import. */
const MEMORY = 64 * 1024 * 1024;
const MB = 1_000_000;
/** So many files, each a tenth as large, are imported before one that is measured. */
const WARM_UPS = 4;

const service = useService();
const { key } = useKey(service);
const { operator } = useOperator(service);

type Upload = { name: string; type: "csv" | "ndjson"; head?: string; line: string; size: number };

/** Imports a file that repeats `line` after `head`, and returns the last line of the response. */
async function importing({ type, head = type === "csv" ? HEADER : "", line, size }: Omit<Upload, "name">) {
  const chunk = new TextEncoder().encode(line.repeat(Math.ceil(Math.min(size, MB) / line.length)));
  let remaining = size;
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(head)),
    pull(controller) {
      if (remaining <= 0) return controller.close();
      remaining -= chunk.length;
      controller.enqueue(chunk);
    },
  });
  const headers = { ...bearer(operator.token), "Content-Type": type === "csv" ? "text/csv" : "application/x-ndjson" };
  // On a connection of its own: a body that is a stream cannot be sent again when an idle connection is being closed.
  const request = { method: "POST", headers, body, keepalive: false };
  const response = await fetch(`${service.adminUrl}/admin/v1/pets/import`, request);
  return JSON.parse((await response.text()).trimEnd().split("\n").at(-1) ?? "");
}

/** Sends public requests until `end` resolves. Returns their times and the largest memory of the service. */
async function requestsUntil(end: Promise<unknown>): Promise<{ times: number[]; memory: number }> {
  let isOver = false;
  const over = end.finally(() => {
    isOver = true;
  });
  const times: number[] = [];
  let memory = 0;
  while (!isOver) {
    const [began, waitedBefore] = [performance.now(), waited()];
    await (await fetch(`${service.url}/v1/pets?limit=20`, { headers: bearer(key.secret) })).arrayBuffer();
    times.push(performance.now() - began - (waited() - waitedBefore));
    memory = Math.max(memory, residentMemory());
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await over;
  return { times, memory };
}

function waited(): number {
  return waitedForProcessor("self") + waitedForProcessor(service.process.pid ?? 0);
}

/** The resident memory of the service in bytes, on Linux. */
function residentMemory(): number {
  const file = `/proc/${service.process.pid}/status`;
  if (!existsSync(file)) return 0;
  return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(file, "utf8"))?.[1]) * 1024;
}

const HEADER = "name,categoryId,status\n";
const PET = '{"name":"Rex","categoryId":1';
const LONG = 60_000;

/** Each takes long enough for 200 requests: of fewer, the 99th percentile is the slowest. */
const files: Upload[] = [
  { name: "CSV lines of one quote", type: "csv", line: '"\n', size: MB },
  { name: "CSV lines that begin with a quote", type: "csv", line: '"Rex,1,sold\n', size: 4 * MB },
  { name: "CSV lines with a stray quote", type: "csv", line: '5" dog,3,sold\n', size: 4 * MB },
  { name: "CSV lines of many quotes", type: "csv", line: `${'"'.repeat(LONG)}\n`, size: 20 * MB },
  { name: "CSV lines of many commas", type: "csv", line: `${",".repeat(LONG)}\n`, size: 15 * MB },
  { name: "CSV lines with huge numbers", type: "csv", line: `Rex,${"9".repeat(LONG)},sold\n`, size: 20 * MB },
  { name: "a CSV file of one line of quotes", type: "csv", line: '"', size: 100 * MB },
  { name: "a quote that is never closed", type: "csv", head: `${HEADER}"`, line: "Rex,1,sold\n", size: MB / 2 },
  { name: "an NDJSON file of one endless line", type: "ndjson", line: "[", size: 100 * MB },
  { name: "NDJSON lines without content", type: "ndjson", line: "\n", size: 2 * MB },
  { name: "NDJSON lines with deep nesting", type: "ndjson", line: `${"[".repeat(LONG)}\n`, size: 40 * MB },
  {
    name: "NDJSON lines with many fields",
    type: "ndjson",
    line: `${PET},"x":[${"1,".repeat(LONG / 2)}1]}\n`,
    size: 15 * MB,
  },
  {
    name: "NDJSON lines with huge numbers",
    type: "ndjson",
    line: `{"categoryId":${"9".repeat(LONG)}}\n`,
    size: 20 * MB,
  },
  { name: "short invalid NDJSON lines", type: "ndjson", line: "x\n", size: MB },
  { name: "long invalid NDJSON lines", type: "ndjson", line: `${"x".repeat(LONG)}\n`, size: 100 * MB },
  { name: "valid NDJSON lines", type: "ndjson", line: `${PET}}\n`, size: 2 * MB },
];

test.each(files)("the import of $name delays public requests by little and needs little memory", async (file) => {
  // So that compiled code and the usual garbage are not counted: V8 lets the heap grow over the first few files.
  for (let i = 0; i < WARM_UPS; i++) await importing({ ...file, size: file.size / 10 });
  const before = residentMemory();
  const imported = importing(file);
  const { times, memory } = await requestsUntil(imported);
  expect(await imported).toMatchObject({ done: true });
  expect(percentile(times, 0.99)).toBeLessThan(besideLoad(SOON));
  expect(memory - before).toBeLessThan(MEMORY);
});

test("the time of an import grows with the size of the file, and not with its square", async () => {
  const took = async (size: number): Promise<number> => {
    const began = performance.now();
    await importing({ type: "csv", line: '"\n', size });
    return performance.now() - began;
  };
  const [small, large] = [await took(MB / 8), await took(MB)];
  expect(large / small).toBeLessThan(3 * 8);
});

/** It exports what the imports before it have added, as often as 200 requests take. */
test.each(["ndjson", "csv"])("an export as %s delays public requests by little", async (format) => {
  const path = `/admin/v1/pets/export?format=${format}`;
  const times: number[] = [];
  while (times.length < 200) {
    const exported = fetch(service.adminUrl + path, { headers: bearer(operator.token) });
    const text = exported.then((response) => response.text());
    times.push(...(await requestsUntil(text)).times);
    expect((await text).length).toBeGreaterThan(2 * MB);
  }
  expect(percentile(times, 0.99)).toBeLessThan(besideLoad(SOON));
});
