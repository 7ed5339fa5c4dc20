import { expect, test } from "bun:test";
import { describes } from "../../../support/descriptions.ts";
import { states } from "../../../support/markdown.ts";
import { useOperator, useService } from "../../../support/use-service.ts";

const service = useService();
const { client: admin } = useOperator(service);

test("the history of a pet is newest first, page by page, also once it is removed; an operator's change is in it", async () => {
  states(
    "docs/administration.md",
    "With `subject`, such as `pets/7`, they are the history of one pet, category or order",
  );
  describes(
    "listEvents",
    "Lists the events that match all given filters, newest first. With `subject` they are the history of one pet, category or order.",
  );
  states(
    "docs/administration.md",
    "`GET /admin/v1/events?limit=&before=&types=&subject=` | `events`, newest first, as the feed has them, `next`, and `keptSince`, the time of the oldest that is kept.",
    "With `subject`, such as `pets/7`, they are the history of one pet",
  );
  const client = await service.withKey();
  expect((await admin.get("/admin/v1/events")).body).toEqual({ events: [], next: null, keptSince: null });
  const first = await client.post("/v1/pets", { name: "Other", categoryId: 1 });
  const { id } = (await client.post("/v1/pets", { name: "Rex", categoryId: 1 }, { "X-Request-Id": "one" })).body;
  const pet = { id, name: "Rex", categoryId: 1, status: "available" };
  const keptSince = new Date(service.now).toISOString();
  await service.advance({ seconds: 60 });
  await admin.patch(`/admin/v1/pets/${id}`, { name: "Max" }, { "X-Request-Id": "two" });
  await client.delete(`/v1/pets/${id}`);
  const path = `/admin/v1/events?subject=pets/${id}&limit=2`;
  const { body: newest } = await admin.get(path);
  expect(newest).toMatchObject({
    events: [
      { type: "pet.deleted", version: 3, subject: `pets/${id}`, data: { ...pet, name: "Max" } },
      { type: "pet.updated", version: 2, data: { ...pet, name: "Max" }, requestId: "two" },
    ],
    next: newest.events[1].id,
    keptSince,
  });
  const { body: oldest } = await admin.get(`${path}&before=${newest.next}`);
  expect(oldest).toMatchObject({
    events: [{ type: "pet.created", version: 1, data: pet, requestId: "one" }],
    next: null,
    keptSince,
  });
  const created = (await admin.get("/admin/v1/events?types=pet.created")).body.events;
  expect(created.map(({ data }: { data: object }) => data)).toEqual([pet, first.body]);
  for (const wrong of ["subject=pets", "before=0", "limit=0", "types=pet"]) {
    expect((await admin.get(`/admin/v1/events?${wrong}`)).body.code).toBe("invalid_parameter");
  }
  const { client: viewer } = await service.withOperator("viewer");
  expect((await viewer.get(path)).status).toBe(200);
});
