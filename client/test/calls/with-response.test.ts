import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { useService } from "../../../test/support/use-service.ts";
import { CLIENT } from "../support/package.ts";
import { petstoreOf } from "../support/petstore.ts";

const service = useService();

test("withResponse returns the result with the status, the headers and the request id", async () => {
  const { secret } = await service.createKey({ plan: "pro" });
  const petstore = await petstoreOf(service, { apiKey: secret, onDeprecation() {} });
  const created = await petstore.createPet({ name: "Seen", categoryId: 1 }).withResponse();
  expect(created.data.name).toBe("Seen");
  expect(created.response.status).toBe(201);
  expect(created.response.headers.get("X-Request-Id")).toBe(created.requestId);
  const listed = await petstore.listPets({ limit: 1 }).withResponse();
  expect(listed.data.pets).toHaveLength(1);
  expect(listed.response.headers.get("RateLimit")).toContain('"minute"');
  expect((await petstore.usage().withResponse()).data.plan).toBe("pro");
  expect((await petstore.getPet(created.data.id).withResponse()).response.headers.has("Deprecation")).toBeTrue();
});

test("the promise and its withResponse come from one request", async () => {
  const petstore = await petstoreOf(service);
  const call = petstore.createPet({ name: "Once", categoryId: 1 });
  const { data } = await call.withResponse();
  expect(await call).toBe(data);
});

test("an error is reported once: by withResponse if it is called, otherwise by the promise", () => {
  const exit = (call: string) => {
    const program = `import { PetstoreClient } from "${join(CLIENT, "src/main.ts")}";
const fetch = () => Promise.reject(new Error("the cable is out"));
const petstore = new PetstoreClient({ apiKey: "pets_live_x", maxRetries: 0, fetch });
${call};`;
    const { status, stderr } = spawnSync(process.execPath, ["--no-env-file", "-e", program], { encoding: "utf8" });
    return { status, stderr };
  };
  expect(exit("petstore.listPets().withResponse().catch(() => {})")).toEqual({ status: 0, stderr: "" });
  for (const call of ["petstore.listPets()", "petstore.listPets().withResponse()"]) {
    expect(exit(call)).toEqual({ status: 1, stderr: expect.stringContaining("the cable is out") });
  }
});
