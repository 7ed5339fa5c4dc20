import { expect, test } from "bun:test";
import { addPets } from "../../support/pets.ts";
import { useKey, useService } from "../../support/use-service.ts";

const service = useService();
const { client } = useKey(service);

test("a pet that another process adds is in the next response", async () => {
  for (let i = 1; i <= 20; i++) {
    expect((await client.get("/v1/pets?limit=100")).body).toHaveLength(i - 1);
    expect((await client.get(`/v1/pets?ids=${i}`)).body).toEqual([]);
    expect((await client.get(`/v1/pets/${i}`)).status).toBe(404);
    await addPets(service, [{ name: `Pet ${i}`, categoryId: 1n }]);
    expect((await client.get("/v1/pets?limit=100")).body).toHaveLength(i);
    expect((await client.get(`/v1/pets?ids=${i}`)).body).toHaveLength(1);
    expect((await client.get(`/v1/pets/${i}`)).status).toBe(200);
  }
});

test("a pet that the service adds is in the next response to a repeated request", async () => {
  for (let i = 0; i < 20; i++) {
    const before = (await client.get("/v1/pets?limit=100&status=sold")).body.length;
    await client.post("/v1/pets", { name: "Own", categoryId: 1, status: "sold" });
    expect((await client.get("/v1/pets?limit=100&status=sold")).body).toHaveLength(before + 1);
  }
});

test("ids of pets that two processes add never collide", async () => {
  const ours = addPets(
    service,
    Array.from({ length: 50 }, () => ({ name: "Ours", categoryId: 1n })),
  );
  const theirs = Promise.all(
    Array.from({ length: 50 }, () => client.post("/v1/pets", { name: "Theirs", categoryId: 1 })),
  );
  const ids = [...(await ours).map(({ id }) => id), ...(await theirs).map(({ body }) => body.id)];
  expect(new Set(ids).size).toBe(100);
});
