import { afterAll, describe, expect, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { webhookSender } from "../../../src/adapters/webhooks/send.ts";
import { deliveryOf, type Endpoint } from "../../../src/domain/webhooks.ts";
import { hasGo } from "../../examples/go.ts";
import { goSample, typeScriptSample } from "../../examples/samples.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { freePort } from "../../support/ports.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

const ROOT = join(import.meta.dir, "../../..");
const SAMPLES = join(ROOT, "samples/webhooks");
const hasPython = spawnSync("python3", ["--version"]).status === 0;
const directory = temporaryDirectory();
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwxyz0123456789A==";
const data = '{"id":7,"name":"Grüße 🐕","categoryId":9223372036854775807,"status":"available"}';

/** A delivery that was signed so many seconds ago. */
function delivery(url: string, age = 0) {
  const endpoint: Endpoint = {
    id: "whe_1",
    url,
    types: [],
    description: "",
    secrets: [{ secret: "whsec_bmV3IG9uZQ==" }, { secret: SECRET, expiresAt: Date.now() + 3_600_000 }],
    createdAt: 0,
    position: 1,
    failures: 0,
    revision: 0,
  };
  const text = `{"id":42,"type":"pet.created","subject":"pets/7","version":1,"data":${data}}`;
  return deliveryOf(
    endpoint,
    { id: 42, at: Date.now(), type: "pet.created", subject: "pets/7", text },
    Date.now() - age * 1_000,
  );
}

/** Half a minute more and less than the five minutes by which a timestamp may be off. */
const [TOO_FAR, NEAR] = [330, 270];

/** How old a delivery is, in seconds, and what a receiver answers. */
const ages = [
  [NEAR, 204],
  [-NEAR, 204],
  [TOO_FAR, 401],
  [-TOO_FAR, 401],
] as const;

/** The command line of a receiver, prepared in a directory of its own. */
const receivers: [language: string, isHere: boolean, prepare: () => string[]][] = [
  ["TypeScript", true, () => typeScriptSample(join(SAMPLES, "receiver.ts"), directory)],
  ["Python", hasPython, () => ["python3", join(SAMPLES, "receiver.py")]],
  ["Go", hasGo, () => goSample(join(SAMPLES, "receiver.go"), directory)],
];

describe.each(receivers)("the receiver in %s", (_language, isHere, prepare) => {
  test.skipIf(!isHere)("accepts what the service signs, and nothing else", async () => {
    states("docs/webhooks.md", "Receivers to begin with; each verifies requests, and prints what they deliver:");
    const [program = "", ...args] = prepare();
    const port = await freePort();
    const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: SECRET };
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    let printed = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
    });
    try {
      using connections = webhookSender({ hosts: ["127.0.0.1"] }).connect();
      const request = delivery(`http://127.0.0.1:${port}/`);
      await eventually(async () => (await connections.send(request)).status === 204);
      const forged = { ...request, body: request.body.replace('"version":1', '"version":2') };
      expect(await connections.send(forged)).toEqual({ status: 401 });
      for (const [age, status] of ages) {
        expect([age, (await connections.send(delivery(request.url, age))).status]).toEqual([age, status]);
      }
      await eventually(() => printed.includes("pet.created pets/7 1\n"));
      expect(printed).not.toContain("pets/7 2");
    } finally {
      const ended = once(child, "exit");
      child.kill("SIGKILL");
      await ended;
    }
  });
});

test("verify.sh accepts what the service signs, and nothing else", () => {
  states("docs/webhooks.md", "Shell | verify.sh | `openssl`; it only verifies a request");
  const verify = ({ headers, body: input }: { headers: Record<string, string>; body: string }) => {
    const args = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) => headers[name] ?? "");
    const env = { ...process.env, WEBHOOK_SECRET: SECRET };
    return spawnSync("sh", [join(SAMPLES, "verify.sh"), ...args], { input, env }).status;
  };
  const valid = delivery("http://127.0.0.1/");
  expect(verify(valid)).toBe(0);
  expect(verify({ ...valid, body: `${valid.body} ` })).toBe(1);
  for (const [age, status] of ages) {
    expect([age, verify(delivery("http://127.0.0.1/", age))]).toEqual([age, status === 204 ? 0 : 1]);
  }
});
