import { expect, test } from "bun:test";
import { bearer } from "../../../support/client.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService({ env: { PETSTORE_METRICS_ACCESS: "operators" } });
const { operator } = useOperator(service, "viewer");
const get = (headers: Record<string, string> = {}) => fetch(`${service.adminUrl}/metrics`, { headers });

test("metrics that only operators may read are 401 without an operator's token", async () => {
  states("docs/settings.md", "or `operators` with their token.");
  const key = await service.createKey();
  for (const headers of [{}, bearer(key.secret)]) {
    const refused = await get(headers);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("WWW-Authenticate")).toBe('Bearer realm="petstore administration"');
    expect(await refused.text()).not.toContain("petstore_");
  }
});

test("operators read them, and nobody keeps them", async () => {
  states("docs/monitoring.md", "set `PETSTORE_METRICS_ACCESS=operators` and give Prometheus the token of a viewer");
  const answer = await get(bearer(operator.token));
  expect(answer.status).toBe(200);
  expect(answer.headers.get("Cache-Control")).toBe("no-store");
  expect(answer.headers.get("Content-Type")).toBe("text/plain; version=0.0.4; charset=utf-8");
  expect(await answer.text()).toContain("petstore_");
});
