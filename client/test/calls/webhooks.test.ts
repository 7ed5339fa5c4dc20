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
const { body, headers } = deliveryOf(endpoint, { id: 42, at: NOW, type: "pet.created", subject: "pets/7", text }, NOW);

test("what the service signs is verified, with each valid secret, and every digit is there", async () => {
  states(
    "client/README.md",
    "`verifyWebhook` checks that a request to your webhook is from the service, and returns what it delivers.",
  );
  for (const secret of [SECRET, OLD, [OTHER, OLD]]) {
    for (const given of [headers, new Headers(headers)]) {
      expect(await verifyWebhook(body, given, secret, NOW + 299_000)).toEqual({
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
  states("client/README.md", "during a rotation both secrets, as an array.");
});

test.each([
  ["another secret", body, headers, OTHER, NOW],
  ["another body", `${body} `, headers, SECRET, NOW],
  ["another id", body, { ...headers, "webhook-id": "msg_1" }, SECRET, NOW],
  ["an old request", body, headers, SECRET, NOW + 301_000],
  ["a request of the future", body, headers, SECRET, NOW - 301_000],
  ["no time", body, { ...headers, "webhook-timestamp": "now" }, SECRET, NOW],
  ["no signature", body, { ...headers, "webhook-signature": undefined }, SECRET, NOW],
  ["an empty signature", body, { ...headers, "webhook-signature": "" }, SECRET, NOW],
  ["a signature of another version", body, { ...headers, "webhook-signature": "v2,YQ==" }, SECRET, NOW],
  ["a signature that is no base64", body, { ...headers, "webhook-signature": "v1,a=b" }, SECRET, NOW],
])("%s is refused", async (_what, text, given, secret, now) => {
  states(
    "docs/webhooks.md",
    "Verify the signature of the body as it arrived, before you parse it, and refuse a timestamp that is more than five minutes off.",
  );
  const refused = verifyWebhook(text, given, secret, now);
  await expect(refused).rejects.toBeInstanceOf(WebhookError);
  await expect(refused).rejects.toHaveProperty("name", "WebhookError");
  states("client/README.md", "It throws a `WebhookError` for any other request.");
});
