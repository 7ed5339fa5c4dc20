import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { states } from "../../../test/support/markdown.ts";
import { useService } from "../../../test/support/use-service.ts";
import { CLIENT } from "../support/package.ts";
import { petstoreOf } from "../support/petstore.ts";

const service = useService();

test("withResponse returns the result with the status, the headers and the request id", async () => {
  states("client/README.md", "If a method makes several requests, it is the response to the last one:");
  states("client/README.md", "have a method `withResponse`, which returns the response too.");
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

test("each result has the id of the request that returned it, which neither JSON nor a copy has", async () => {
  const petstore = await petstoreOf(service, { onDeprecation() {} });
  const { data, requestId } = await petstore.createPet({ name: "Named", categoryId: 2 }).withResponse();
  expect(data.requestId).toBe(requestId);
  const { id } = data;
  const expected = expect.stringMatching(/^[0-9a-f]{32}-1$/);
  const [order, category] = [
    await petstore.orders.place({ petId: id }),
    await petstore.categories.create({ name: "Named" }),
  ];
  const page = await petstore.listPets();
  const results = [
    ...[
      order,
      category,
      page,
      ...page.pets,
      await petstore.getPet(id),
      await petstore.updatePet(id, { name: "Again" }),
    ],
    ...[await petstore.orders.get(order.id), await petstore.orders.list(), await petstore.orders.cancel(order.id)],
    ...[await petstore.categories.get(category.id), await petstore.categories.put(category.id, { name: "Else" })],
    ...[await petstore.inventory(), await petstore.usage(), await petstore.request<object>("GET", "/pets")],
    ...(await petstore.getPetsByIds([id])),
    ...(await petstore.pets().toArray({ max: 1 })),
    ...(await petstore.pages().toArray({ max: 1 })),
  ];
  for (const result of results) {
    expect(result.requestId).toEqual(expected);
    expect(JSON.stringify(result)).not.toContain("requestId");
    expect({ ...result }).not.toHaveProperty("requestId");
  }
  const many = Array.from({ length: 3 }, () => ({ name: "One of many", categoryId: 1 }));
  const created = await petstore.createPets(many).toArray({ max: 3 });
  expect(created.map(({ pet }) => pet?.requestId)).toEqual([expected, expected, expected]);
  // Of an event it is the request that made the change.
  const [event] = await petstore.events({ subject: `pets/${id}` }).toArray({ max: 1 });
  expect(event?.requestId).toBe(requestId);
  expect(await petstore.deletePet(id)).toBeUndefined();
  states(
    "client/README.md",
    "`requestId` of a pet, of a page and of any other object that a call returns, as every `PetstoreError` has it. It is no part of their JSON or of a copy.",
  );
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
