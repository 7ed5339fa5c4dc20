import { afterAll, expect, test } from "bun:test";
import { execFileSync, spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { StoredEvent } from "../../../src/domain/events.ts";
import { deliveryOf, type Endpoint } from "../../../src/domain/webhooks.ts";
import { temporaryDirectory } from "../../support/temporary.ts";

const hasPip = spawnSync("python3", ["-m", "venv", "--help"]).status === 0;
if (!hasPip) console.log("skipped: signatures are not verified by Python's library, without Python 3 with venv");

const directory = temporaryDirectory();
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwxyz0123456789A==";
const endpoint: Endpoint = {
  id: "whe_4kTn0aWq7JbYcX2z",
  url: "https://shop.example.com/hook",
  types: [],
  description: "",
  secrets: [{ secret: "whsec_bmV3IG9uZQ==" }, { secret, expiresAt: Date.now() + 60_000 }],
  createdAt: 0,
  position: 1,
  failures: 0,
  revision: 0,
};
const event: StoredEvent = {
  id: 42,
  at: Date.now(),
  type: "pet.created",
  subject: "pets/7",
  text: '{"id":42,"version":1,"data":{"id":7,"name":"Grüße, \\"Rex\\" 🐕","categoryId":9223372036854775807,"status":"available"}}',
};

const PROGRAM = `
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
given = json.load(sys.stdin)
verified = Webhook(given["secret"]).verify(given["body"], given["headers"])
assert verified["data"]["data"]["categoryId"] == 9223372036854775807
try:
    Webhook(given["secret"]).verify(given["body"] + " ", given["headers"])
except WebhookVerificationError:
    print(verified["type"])
`;

test.skipIf(!hasPip)("Python's library of Standard Webhooks verifies a delivery, and none that was changed", () => {
  const python = join(directory, "bin/python");
  execFileSync("python3", ["-m", "venv", directory]);
  execFileSync(python, ["-m", "pip", "install", "--quiet", "--no-compile", "standardwebhooks==1.1.0"]);
  const { headers, body } = deliveryOf(endpoint, event, Date.now());
  const input = JSON.stringify({ secret, headers, body });
  const { stdout, stderr } = spawnSync(python, ["-c", PROGRAM], { input, encoding: "utf8" });
  expect({ stdout, stderr }).toEqual({ stdout: "pet.created\n", stderr: "" });
});
