import { beforeAll, describe, expect, test } from "bun:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import fc from "fast-check";
import { pathOf, urlOf } from "../../src/adapters/http/request.ts";
import { generateSecret } from "../../src/domain/keys/secret.ts";
import { requireListedCode } from "../support/client.ts";
import { administrationStatuses } from "../support/codes.ts";
import { checkAgainstDocument } from "../support/document.ts";
import { signIn } from "../support/operator.ts";
import { administrationRequests, type Loot } from "./administration-requests.ts";
import { Connection } from "./connection.ts";
import { bytesOf, type GeneratedRequest } from "./generated-requests.ts";
import { SOON, useTarget } from "./target.ts";
import type { WireAnswer } from "./wire.ts";

/** The number of requests, from PETSTORE_FUZZ. A failure prints the seed, which PETSTORE_FUZZ_SEED sets. */
const REQUESTS = Number(process.env.PETSTORE_FUZZ ?? 2_000);
const SEED = Number(
  process.env.PETSTORE_FUZZ_SEED ?? (process.env.PETSTORE_FUZZ === undefined ? 1 : Date.now() % 2 ** 31),
);

const target = useTarget({ PETSTORE_REQUEST_LOG: "true", PETSTORE_TRUSTED_PROXIES: "127.0.0.0/8" });
let secrets: string[];
let loot: Loot;
beforeAll(async () => {
  const { service } = target;
  const admins = [await service.withOperator(), await service.withOperator()];
  const viewer = await service.withOperator("viewer");
  const keys = [await service.createKey(), await service.createKey({ plan: "free" }), await service.createKey()];
  await service.changeKey((administration) => administration.revoke(keys[2]?.id ?? "", service.now));
  const [admin] = admins;
  if (admin === undefined) throw new Error("there is no admin");
  const { cookie } = await signIn(service, admin.token, { "X-Forwarded-For": "192.0.2.1" });
  const bearer = (token: string): Loot["credentials"][number] => [["Authorization", `Bearer ${token}`]];
  loot = {
    credentials: [
      ...Array.from({ length: 4 }, () => bearer(admin.token)),
      bearer(viewer.token),
      bearer(generateSecret("pets_oper_")),
      [
        ["Cookie", cookie],
        ["Sec-Fetch-Site", "same-origin"],
      ],
      [["Cookie", cookie]],
      [],
    ],
    keyIds: keys.map(({ id }) => id),
    // Without the operator of the token, which must not revoke itself.
    operatorIds: [admins[1]?.operator.id ?? ""],
  };
  secrets = [admin.token, viewer.token, cookie.split("=")[1] ?? "", ...keys.map(({ secret }) => secret)];
});

const statuses = new Map<number | string, number>();
const count = (outcome: number | string) => statuses.set(outcome, (statuses.get(outcome) ?? 0) + 1);

async function make(request: GeneratedRequest): Promise<void> {
  const connection = await Connection.open(target.service.adminUrl);
  try {
    const answer = await connection.ask(request.method, bytesOf(request), SOON);
    await check(request, answer);
  } catch (error) {
    throw new Error(`${Buffer.from(bytesOf(request)).toString("latin1").slice(0, 2_000)}`, { cause: error });
  } finally {
    connection.close();
  }
}

async function check(request: GeneratedRequest, wire: WireAnswer | undefined): Promise<void> {
  if (wire === undefined) throw new Error("the connection was closed without an answer");
  count(wire.status);
  expect(wire.status).toBeLessThan(500);
  expect(wire.headers.get("X-Request-Id")).toMatch(/^[A-Za-z0-9._-]{1,128}$/);
  const encoding = request.method === "HEAD" ? null : wire.headers.get("Content-Encoding");
  const text = decoded(Buffer.from(wire.body, "latin1"), encoding);
  const isJson = wire.headers.get("Content-Type") === "application/json" && text !== "";
  const answer = { status: wire.status, headers: wire.headers, text, body: isJson ? JSON.parse(text) : undefined };
  if (isJson) requireListedCode(answer, administrationStatuses);
  const path = pathOf(urlOf(request.method, request.path) ?? "");
  if (path.startsWith("/v1")) expect(wire.status).toBe(404);
  else await checkAgainstDocument(target.service.adminUrl, request.method, path, answer);
}

test(
  `${REQUESTS} generated requests get correct responses, and the service keeps running`,
  async () => {
    const batch = fc.array(administrationRequests(loot), { minLength: 20, maxLength: 20, size: "max" });
    const made = fc.asyncProperty(batch, async (all) => {
      await Promise.all(all.map(make));
    });
    await fc.assert(made, {
      numRuns: Math.ceil(REQUESTS / 20),
      seed: SEED,
      endOnFailure: true,
      reporter: ({ failed, errorInstance }) => {
        if (failed) throw new Error(`PETSTORE_FUZZ_SEED=${SEED} has this happen again`, { cause: errorInstance });
      },
    });
    const output = target.service.output.join("\n");
    for (const secret of secrets) expect(output).not.toContain(secret.slice("pets_live_".length, -"_checks".length));
    // The requests must reach every part of the listener, not only authentication.
    for (const status of [200, 201, 400, 401, 403, 404, 405, 409, 415]) {
      expect([status, (statuses.get(status) ?? 0) > 5]).toEqual([status, true]);
    }
  },
  Math.max(60_000, REQUESTS * 20),
);

describe("no path below /console leads outside it:", () => {
  test.each([
    "/console/../package.json",
    "/console/..%2f..%2fpackage.json",
    "/console/%2e%2e/%2e%2e/package.json",
    "/console/assets/../../src/main.ts",
    "/console/....//....//package.json",
    "/console//etc/passwd",
    "/console/\\..\\..\\package.json",
    "/console/%5c..%5cpackage.json",
    "/console/index.html%00.js",
    "/console/constructor",
    "/console/__proto__.js",
    "/console/toString.js",
  ])("%s", async (path) => {
    const connection = await Connection.open(target.service.adminUrl);
    const answer = await connection.ask("GET", `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`, SOON);
    connection.close();
    expect(answer?.body).not.toContain("petstore.js");
    expect(answer?.body).not.toContain("root:");
    expect(answer?.body).not.toContain("CommanderError");
    expect(answer?.status).toBeLessThan(500);
  });
});

/** The text of a body in this encoding. */
function decoded(body: Buffer, encoding: string | null): string {
  if (encoding === "br") return brotliDecompressSync(body).toString();
  return encoding === "gzip" ? gunzipSync(body).toString() : body.toString();
}
