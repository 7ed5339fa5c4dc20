import { expect, test } from "bun:test";
import { readConfig, variables } from "../../src/wiring/config.ts";

const SECRETS = ["s3cret", "AKIA0000"];

/** The settings that an environment gives, by name. */
function settingsIn(environment: Record<string, string>) {
  return new Map(readConfig(environment).settings.map(({ name, ...setting }) => [name, setting]));
}

test("settings say what holds, and where it is from", () => {
  const found = settingsIn({ PETSTORE_DEPLOYMENT: "staging", PETSTORE_NODES: "3", HOST: "" });
  expect(found.get("PETSTORE_NODES")).toEqual({ value: "3", source: "environment" });
  expect(found.get("HOST")).toEqual({ value: "127.0.0.1", source: "default" });
  expect(found.get("PORT")).toEqual({ value: "8090", source: "default" });
  expect(found.get("PETSTORE_ADMIN_PORT")).toEqual({ value: "8091", source: "default" });
  expect(found.get("REDIS_URL")).toEqual({ value: undefined, source: "default" });
  expect(found.get("DATABASE_URL")?.value).toEndWith("data/petstore-staging.db");
  // What follows from another setting is shown as it is.
  const addresses = settingsIn({ PETSTORE_DEPLOYMENT: "staging", HOST: "127.0.0.9", PORT: "9000" });
  const names = ["PETSTORE_BASE_URL", "PETSTORE_STAGING_BASE_URL"];
  const urls = ["http://127.0.0.1:8080/v1", "http://127.0.0.9:9000/v1"];
  expect(names.map((name) => addresses.get(name)?.value)).toEqual(urls);
  const beside = settingsIn({ DATABASE_URL: "sqlite:/srv/pets/petstore.db", PETSTORE_BACKUP_EVERY: "1d" });
  expect(beside.get("PETSTORE_BACKUP_DIR")).toEqual({ value: "/srv/pets/backups", source: "default" });
});

test("a setting that is a number is shown under any name", () => {
  const numbers = variables.flatMap(({ name, default: value }) =>
    /^(\d+|keep)$/.test(value ?? "") ? [[name, value === "keep" ? "400" : String(value)] as const] : [],
  );
  const found = settingsIn(Object.fromEntries(numbers));
  expect(numbers.map(([name]) => [name, found.get(name)?.value])).toEqual(numbers.map((one) => [...one]));
  expect(numbers.map(([name]) => name)).toContain("PETSTORE_KEYS_DAYS");
});

test.each([
  { DATABASE_URL: "postgres://user:s3cret@db:5432/petstore?sslpassword=s3cret" },
  { DATABASE_URL: "postgres://user:s3cr%2Fs3cret@a:5432,b:5432/petstore" },
  { REDIS_URL: "redis://:s3cret@redis:6379" },
  { REDIS_URL: "redis+sentinel://user:s3cret@a:26379,b:26379/main" },
  { OTEL_EXPORTER_OTLP_ENDPOINT: "https://user:s3cret@collector:4318/v1?token=s3cret" },
  {
    PETSTORE_BACKUP_S3: "s3://my-backups/petstore",
    AWS_ACCESS_KEY_ID: "AKIA0000",
    AWS_SECRET_ACCESS_KEY: "s3cret",
    AWS_SESSION_TOKEN: "s3cret",
  },
])("secrets are struck out of %j", (environment) => {
  const found = settingsIn({ ...environment });
  const text = JSON.stringify([...found]);
  for (const secret of SECRETS) expect(text).not.toContain(secret);
  for (const name of Object.keys(environment)) expect(found.get(name)?.source).toBe("environment");
});
