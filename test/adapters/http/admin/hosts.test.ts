import { expect, test } from "bun:test";
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
  expect(await statusOf("/metrics", host)).toBe(200);
  expect(await statusOf("/admin/v1/keys", host)).toBe(401);
});

test("the probes answer to any host name", async () => {
  for (const path of ["/livez", "/readyz"]) expect(await statusOf(path, "anything.example")).toBe(200);
});
