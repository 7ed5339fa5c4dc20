import { type Awaitable, after } from "../awaitable.ts";
import type { Clock } from "../clock.ts";
import { PetstoreError } from "../errors.ts";
import type { ActivityRecorder } from "../keys/activity.ts";
import { nextQuery, plainInt64, readPage } from "../pets/listing.ts";
import { NewPet, type Pet } from "../pets/pet.ts";
import type { PetStore } from "../pets/store.ts";
import { readBody } from "./body.ts";
import { locationOf, requireBeforeSunset } from "./deprecation.ts";
import { type Handler, json, jsonText } from "./exchange.ts";
import { exactInteger } from "./json.ts";
import { type AnsweredPage, PageCache } from "./page-cache.ts";
import { requireScope } from "./scope.ts";

type Parts = { pets: PetStore; activity: ActivityRecorder; clock: Clock; baseUrl: string };

/** The three operations of interface.md, Endpoints. */
export function petHandlers({ pets, activity, clock, baseUrl }: Parts) {
  const answered = new PageCache();

  const listPets: Handler = (c) => {
    requireScope(c.env, "pets:read");
    const query = queryOf(c.req.url);
    const revision = pets.revision();
    return after(answered.get(query, revision) ?? answerPage(query), (page) => {
      answered.set(query, revision, page);
      return jsonText(
        c.env,
        200,
        page.body,
        page.next === undefined ? {} : { Link: `<${baseUrl}/pets?${page.next}>; rel="next"` },
      );
    });
  };

  /** Asks for one animal more than the page holds: it tells whether another page follows. */
  function answerPage(query: string): Awaitable<AnsweredPage> {
    const page = readPage(new URLSearchParams(query));
    return after(pets.list({ ...page, limit: page.limit + 1 }), (found) => {
      const shown = found.slice(0, page.limit);
      const last = found.length > shown.length ? shown.at(-1) : undefined;
      return { body: JSON.stringify(shown.map(onTheWire)), next: last && nextQuery(page, last.id) };
    });
  }

  const createPet: Handler = async (c) => {
    requireScope(c.env, "pets:write");
    const pet = await pets.create(await readBody(c.req.raw, NewPet));
    return json(c.env, 201, onTheWire(pet), { Location: locationOf(pet.id, clock) });
  };

  const getPet: Handler = (c) => {
    const petId = c.req.param("petId") ?? "";
    activity.calledDeprecated("getPet", c.env.caller.id, clock());
    requireBeforeSunset(petId, baseUrl, clock);
    requireScope(c.env, "pets:read");
    const id = plainInt64(petId);
    return after(id === undefined ? undefined : pets.get(id), (pet) => {
      if (pet === undefined) throw new PetstoreError("pet_not_found", "There is no animal with this id.");
      return json(c.env, 200, onTheWire(pet));
    });
  };

  return { listPets, createPet, getPet };
}

function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}

function onTheWire({ id, name, categoryId, status }: Pet) {
  return { id, name, categoryId: exactInteger(categoryId), status };
}
