import { expect, test } from "bun:test";
import { states } from "../../../support/markdown.ts";
import { anonymous } from "../../../support/operator.ts";
import { useService } from "../../../support/use-service.ts";

const service = useService({ env: { PETSTORE_ADMIN_HOSTS: "console.example.com, Petstore-Admin" } });

const statusOf = async (path: string, host: string) => (await anonymous(service).get(path, { Host: host })).status;

const PATHS = ["/console", "/metrics", "/admin/openapi.json", "/admin/v1/session", "/admin/v1/keys", "/nothing"];

test.each([
  "evil.example",
  "evil.example:8081",
  "console.example.com.evil.example",
  "xlocalhost",
  "127.0.0.1.evil.example",
  "evil.example.",
  "localhost..",
  "localhost.evil.example.:8081",
  ".",
])("an unknown host name is refused on every path, before credentials: %s", async (host) => {
  states(
    "SECURITY.md",
    "Requests for unknown host names are refused, so that no page can reach the listener by DNS rebinding.",
  );
  states(
    "docs/administration.md",
    "A request for any other host name gets 403 `host_not_allowed`, so that no web page can reach the listener by DNS rebinding.",
    "The header `Host` has a name that is not the listener's.",
  );
  const { token } = await service.withOperator();
  for (const path of PATHS) {
    const answer = await anonymous(service).get(path, { Host: host, Authorization: `Bearer ${token}` });
    expect([answer.status, answer.body.code]).toEqual([403, "host_not_allowed"]);
    expect(answer.body.message).toContain("PETSTORE_ADMIN_HOSTS");
    expect(answer.headers.get("Cache-Control")).toBe("no-store");
  }
});

test.each([
  "127.0.0.1",
  "127.0.0.1:8081",
  "10.42.0.17:8081",
  "[::1]:8081",
  "[fd00::17]",
  "localhost:8081",
  "petstore.localhost",
  "localhost.",
  "LocalHost.:8081",
  "petstore.localhost.",
  "console.example.com.",
  "console.example.com.:443",
  "console.example.com",
  "CONSOLE.example.com:443",
  "petstore-admin:8081",
])("addresses, localhost and the names in PETSTORE_ADMIN_HOSTS are allowed: %s", async (host) => {
  states(
    "docs/settings.md",
    "Host names by which browsers and programs call the administration interface, separated by commas. IP addresses and `localhost` always work.",
  );
  states(
    "docs/administration.md",
    "Host names, separated by commas, by which clients call the listener",
    "The listener answers to IP addresses, `localhost`, the value of",
    "and the names in `PETSTORE_ADMIN_HOSTS`.",
    "Use an IP address, or add the name to `PETSTORE_ADMIN_HOSTS`.",
  );
  expect(await statusOf("/metrics", host)).toBe(200);
  expect(await statusOf("/admin/v1/keys", host)).toBe(401);
});

test("the probes answer to any host name", async () => {
  states(
    "docs/administration.md",
    "Put a proxy with TLS in front of it that only operators can reach, list that proxy in `PETSTORE_TRUSTED_PROXIES`, and its name in `PETSTORE_ADMIN_HOSTS`.",
  );
  states(
    "docs/monitoring.md",
    "Prometheus may scrape by IP address; if it scrapes by name, list the name in `PETSTORE_ADMIN_HOSTS`.",
  );
  states("docs/administration.md", "`/livez` and `/readyz` answer to any name.");
  for (const path of ["/livez", "/readyz"]) expect(await statusOf(path, "anything.example")).toBe(200);
});
