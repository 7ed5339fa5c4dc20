import { expect, test } from "bun:test";
import { deliveryOf, type Endpoint } from "../../../src/domain/webhooks.ts";
import { states } from "../../../test/support/markdown.ts";
import { verifyWebhook, WebhookError } from "../../src/main.ts";

const NOW = Date.UTC(2026, 11, 2, 10);
const [SECRET, OLD, OTHER] = ["whsec_bmV3IHNlY3JldA==", "whsec_b2xkIHNlY3JldA==", "whsec_b3RoZXI="];
const endpoint: Endpoint = {
  id: "whe_4kTn0aWq7JbYcX2z",
  url: "https://shop.example.com/hook",
  types: [],
  description: "",
  secrets: [{ secret: SECRET }, { secret: OLD, expiresAt: NOW + 1 }],
  createdAt: NOW,
  position: 1,
  failures: 0,
  revision: 0,
};
const data = '{"id":7,"name":"Grüße","categoryId":9223372036854775807,"status":"available"}';
const text = `{"id":42,"type":"pet.created","at":"2026-12-02T10:00:00.000Z","subject":"pets/7","version":1,"data":${data}}`;
const event = { id: 42, at: NOW, type: "pet.created", subject: "pets/7", text } as const;
const { body, headers } = deliveryOf(endpoint, event, NOW);

test("what the service signs is verified, with each valid secret, and every digit is there", async () => {
  states(
    "client/README.md",
    "Give it the body as it arrived, before anything has parsed it; during a rotation both secrets, as an array.",
  );
  states(
    "client/README.md",
    "`verifyWebhook` checks that a request to your webhook is from the service, and returns what it delivers.",
  );
  for (const secret of [SECRET, OLD, [OTHER, OLD]]) {
    for (const given of [headers, new Headers(headers)]) {
      // The last millisecond at which it is not too old.
      expect(await verifyWebhook(body, given, secret, NOW + 300_000)).toEqual({
        type: "pet.created",
        timestamp: "2026-12-02T10:00:00.000Z",
        data: {
          id: 42,
          type: "pet.created",
          at: "2026-12-02T10:00:00.000Z",
          subject: "pets/7",
          version: 1,
          data: { id: 7, name: "Grüße", categoryId: 9223372036854775807n, status: "available" },
        },
      });
    }
  }
  await verifyWebhook(body, headers, SECRET, NOW - 300_000);
  states("client/README.md", "during a rotation both secrets, as an array.");
});

test("a request is verified at the time of the machine, and its secret may be bare", async () => {
  const now = Date.now();
  const { body: text, headers: given } = deliveryOf(endpoint, { ...event, at: now }, now);
  expect((await verifyWebhook(text, given, SECRET.replace("whsec_", ""))).type).toBe("pet.created");
  await expect(verifyWebhook(body, headers, SECRET)).rejects.toThrow("too old");
});

test.each([
  ["another secret", body, headers, OTHER, NOW, "signature of the request is wrong"],
  ["another body", `${body} `, headers, SECRET, NOW, "signature of the request is wrong"],
  ["another id", body, { ...headers, "webhook-id": "msg_1" }, SECRET, NOW, "signature of the request is wrong"],
  ["an old request", body, headers, SECRET, NOW + 300_001, "too old, or a clock is wrong"],
  ["a request of the future", body, headers, SECRET, NOW - 300_001, "too old, or a clock is wrong"],
  ["no time", body, { ...headers, "webhook-timestamp": "now" }, SECRET, NOW, "too old, or a clock is wrong"],
  ["a request without an id", body, { ...headers, "webhook-id": undefined }, SECRET, NOW, "no header webhook-id"],
  ["two headers of signatures", body, { ...headers, "webhook-signature": ["v1,", "v1,"] }, SECRET, NOW, "no header"],
  ["no signature", body, { ...headers, "webhook-signature": undefined }, SECRET, NOW, "no header webhook-signature"],
  [
    "an empty signature",
    body,
    { ...headers, "webhook-signature": "" },
    SECRET,
    NOW,
    "signature of the request is wrong",
  ],
  [
    "a signature of another version",
    body,
    { ...headers, "webhook-signature": "v2,YQ==" },
    SECRET,
    NOW,
    "signature of the request is wrong",
  ],
  [
    "a signature that is no base64",
    body,
    { ...headers, "webhook-signature": "v1,a=b" },
    SECRET,
    NOW,
    "signature of the request is wrong",
  ],
])("%s is refused", async (_what, text, given, secret, now, message) => {
  states(
    "docs/webhooks.md",
    "Verify the signature of the body as it arrived, before you parse it, and refuse a timestamp that is more than five minutes off.",
  );
  const refused = verifyWebhook(text, given, secret, now);
  await expect(refused).rejects.toBeInstanceOf(WebhookError);
  await expect(refused).rejects.toHaveProperty("name", "WebhookError");
  await expect(refused).rejects.toThrow(message);
  states("client/README.md", "It throws a `WebhookError` for any other request.");
});
