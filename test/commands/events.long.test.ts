import { expect, test } from "bun:test";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { useService } from "../support/use-service.ts";
import { Workplace } from "./petstore.ts";

const service = useService({ now: Date.now() });
const petstore = new Workplace(service);

test("the history of a pet is listed, as a table and as JSON", async () => {
  states("docs/events.md", "`petstore events list --subject pets/1` shows an operator the history of a pet,");
  const { pets } = service.stores;
  const { id } = await pets.create({ name: "Rex", categoryId: 9223372036854775807n }, { now: Date.now() });
  await pets.update(BigInt(id), { status: "sold" }, { now: Date.now() });
  const { stdout } = await petstore.run(["events", "list", "--subject", `pets/${id}`]);
  expect(stdout.split("\n").map((line) => /pet\.\w+ +pets\/\d+ +\d/.exec(line)?.[0].split(/ +/))).toEqual([
    undefined,
    ["pet.created", `pets/${id}`, "1"],
    ["pet.updated", `pets/${id}`, "2"],
    undefined,
  ]);
  const json = await petstore.run(["events", "list", "--subject", `pets/${id}`, "--types", "pet.created", "--json"]);
  expect(json.stdout).toContain('"categoryId": 9223372036854775807');
  expect(await petstore.run(["events", "list", "--subject", "dogs/1"])).toMatchObject({ code: 2 });
});

/** Follows the feed. `ids`: of the events that it has printed. */
function follow(...options: string[]) {
  type Line = { id: number; type: string; subject: string; data: { name: string } };
  const following = petstore.follow<Line>("events", "list", ...options);
  return Object.assign(following, { events: following.lines, ids: () => following.lines.map(({ id }) => id) });
}

test("--follow prints each event once, from a position on or from now on, as a line", async () => {
  states(
    "docs/commands.md",
    "`petstore events list` | Lists what has changed; with `--follow` also what changes from now on.",
  );
  states("docs/events.md", "`--follow` goes on with what happens.");
  const { events, pets } = service.stores;
  // More than a page.
  for (let i = 0; i < 120; i++) await pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const before = await events.newest();
  await using fromOldest = follow("--after", "0");
  await using fromHere = follow("--after", String(before));
  await using fromNow = follow();
  await using updates = follow("--after", "0", "--types", "pet.updated");
  const { id } = await pets.create({ name: "Mia", categoryId: 1n }, { now: Date.now() });
  await using ofPet = follow("--after", "0", "--subject", `pets/${id}`);
  await eventually(async () => {
    await pets.create({ name: "Tom", categoryId: 1n }, { now: Date.now() });
    return fromNow.events.length > 0;
  });
  await pets.update(BigInt(id), { status: "sold" }, { now: Date.now() });
  const last = Number(await events.newest());
  for (const { ids } of [fromOldest, fromHere, fromNow, updates, ofPet]) await eventually(() => ids().includes(last));
  const from = (first: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);
  expect(fromOldest.ids()).toEqual(from(Number(await events.oldest())));
  expect(fromHere.ids()).toEqual(from(Number(before) + 1));
  expect(fromHere.events[0]).toMatchObject({ type: "pet.created", subject: `pets/${id}`, data: { name: "Mia" } });
  const [first = 0] = fromNow.ids();
  expect(first).toBeGreaterThan(Number(before));
  expect(fromNow.ids()).toEqual(from(first));
  expect(ofPet.events.map(({ type }) => type)).toEqual(["pet.created", "pet.updated"]);
  expect(new Set(updates.events.map(({ type }) => type))).toEqual(new Set(["pet.updated"]));
});

test.each(["events", "requests"])(
  "%s list --follow leaves the processor to others while nothing happens",
  async (noun) => {
    await using following = petstore.follow(noun, "list");
    await following.rests();
  },
);
