import { describe, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:net";
import { states } from "../../../support/markdown.ts";
import { anonymous } from "../../../support/operator.ts";
import { startService } from "../../../support/service.ts";

test("the public listener serves no administration path, and the administration listener no public path", async () => {
  states(
    "SECURITY.md",
    "Administration | A separate listener on the loopback address; the public one never serves it.",
  );
  states("docs/administration.md", "It is JSON over HTTP on a listener of its own, separate from the public one.");
  await using service = await startService();
  const { token } = await service.withOperator();
  const key = await service.withKey();
  const ask = async (url: string) => {
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    return [answer.status, ((await answer.json()) as { code: string }).code];
  };
  for (const path of ["/admin/v1/keys", "/admin/openapi.json", "/console", "/metrics"]) {
    expect(await ask(service.url + path)).toEqual([404, "not_found"]);
  }
  expect((await key.get("/v1/pets")).status).toBe(200);
  for (const path of ["/v1/pets", "/v1", "/openapi.json", "/docs"]) {
    expect(await ask(service.adminUrl + path)).toEqual([404, "not_found"]);
  }
  // An operator's token is not a key, and a key is not an operator's token.
  expect((await service.withSecret(token).get("/v1/pets")).body.code).toBe("invalid_api_key");
});

test("it has its own probes, and / redirects to the console", async () => {
  states(
    "docs/administration.md",
    "Beside `/admin/v1` the listener serves `/console`, `/admin/openapi.json`, `/livez` and `/readyz`, which need no credentials, and `/metrics`.",
  );
  states("docs/running.md", "| `/livez` | The process responds. | Restart it. |");
  states("docs/settings.md", "`anyone` who reaches the administration listener");
  states(
    "docs/administration.md",
    "`/admin/openapi.json`, `/livez` and `/readyz`, which need no credentials, and `/metrics`.",
    "0 takes any free port; the log line `listening` names it.",
  );
  await using service = await startService();
  expect((await anonymous(service).get("/livez")).body).toEqual({ status: "alive" });
  expect((await anonymous(service).get("/readyz")).body).toEqual({ status: "ready" });
  for (const path of ["/admin/openapi.json", "/metrics"]) {
    expect((await fetch(service.adminUrl + path)).status).toBe(200);
  }
  const home = await anonymous(service).get("/");
  expect([home.status, home.headers.get("Location")]).toEqual([302, "/console"]);
});

test("it can be disabled", async () => {
  states("docs/administration.md", "`off` disables the listener");
  const service = await startService({ env: { PETSTORE_ADMIN_PORT: "off" } });
  expect(service.adminUrl).toEndWith(":undefined");
  await service.remove();
});

describe("a port in use", () => {
  test("is reported with the variable that changes it, and nothing is served", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const attempt = startService({ env: { PETSTORE_ADMIN_PORT: String(port) } });
    await expect(attempt).rejects.toThrow(new RegExp(`127.0.0.1:${port}.*Set PETSTORE_ADMIN_PORT`));
    other.close();
  });
});
