import { type Awaitable, after } from "../../domain/awaitable.ts";
import type { Clock } from "../../domain/clock.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { plainInt64 } from "../../domain/int64.ts";
import { exactInteger } from "../../domain/json/write.ts";
import { type ActivityRecorder, userAgentOf } from "../../domain/keys/activity.ts";
import { nextQuery, type Page, readPage } from "../../domain/pets/listing.ts";
import { NewPet, type Pet } from "../../domain/pets/pet.ts";
import type { PetStore } from "../../domain/pets/store.ts";
import { type Answer, AnswerCache } from "./answer-cache.ts";
import { readBody } from "./body.ts";
import type { GetPetDeprecation } from "./deprecation.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import { RequestCoalescer } from "./request-coalescer.ts";
import { type Handler, json, jsonText } from "./request-context.ts";
import { requireScope } from "./scope.ts";

type Parts = {
  pets: PetStore;
  activity: ActivityRecorder;
  deprecation: GetPetDeprecation;
  clock: Clock;
  baseUrl: string;
};

/** The three operations of docs/interface.md, Operations. */
export function petHandlers({ pets, activity, deprecation, clock, baseUrl }: Parts) {
  const pages = new AnswerCache();
  const together = new RequestCoalescer<Answer>();

  const listPets: Handler = (c) => {
    requireScope(c.env, "pets:read");
    const query = queryOf(c.env.request.url);
    return after(answerTo(query), ({ body, next }) => {
      if (next !== undefined) c.env.headers.Link = `<${baseUrl}/pets?${next}>; rel="next"`;
      return jsonText(c.env, 200, body);
    });
  };

  /** The answer to a query: as it was before, while nothing has changed, or as the store has it. */
  function answerTo(query: string): Awaitable<Answer> {
    const revision = pets.revision();
    if (revision === undefined) return together.answer(query, () => ask(query));
    const known = pages.get(query, revision);
    if (known !== undefined) return known;
    return after(ask(query), (answer) => {
      pages.note(query, revision, answer);
      return answer;
    });
  }

  function ask(query: string): Awaitable<Answer> {
    return readAnswer(readPage(new URLSearchParams(query)));
  }

  /** Asks for one pet more than the page holds: it tells whether another page follows. */
  function readAnswer(page: Page): Awaitable<Answer> {
    return after(pets.list({ ...page, limit: page.limit + 1 }), (found) => {
      const shown = found.slice(0, page.limit);
      const last = found.length > shown.length ? shown.at(-1) : undefined;
      return { body: JSON.stringify(shown.map(onTheWire)), next: last && nextQuery(page, last.id) };
    });
  }

  const createPet: Handler = async (c) => {
    requireScope(c.env, "pets:write");
    const wanted = await readBody(c.env, NewPet);
    const idempotencyKey = readIdempotencyKey(c.env.request.headers);
    const { pet, isReplay } =
      idempotencyKey === undefined
        ? { pet: await pets.create(wanted), isReplay: false }
        : await pets.createIdempotently(wanted, { keyId: c.env.caller.id, key: idempotencyKey, now: clock() });
    if (isReplay) c.env.headers["Idempotency-Replayed"] = "true";
    return json(c.env, 201, onTheWire(pet), { Location: deprecation.locationOf(pet.id) });
  };

  const getPet: Handler = (c) => {
    const petId = c.req.param("petId") ?? "";
    const userAgent = userAgentOf(c.env.request.headers.get("User-Agent"));
    activity.calledDeprecated("getPet", c.env.caller.id, clock(), userAgent);
    deprecation.requireBeforeSunset(petId);
    requireScope(c.env, "pets:read");
    return after(find(petId), (pet) => json(c.env, 200, onTheWire(pet)));
  };

  /** @throws pet_not_found, for everything that is not the id of a pet */
  function find(petId: string): Awaitable<Pet> {
    const id = plainInt64(petId);
    return after(id === undefined ? undefined : pets.get(id), (pet) => {
      if (pet === undefined) throw new PetstoreError("pet_not_found");
      return pet;
    });
  }

  return { listPets, createPet, getPet };
}

function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}

function onTheWire({ id, name, categoryId, status }: Pet) {
  return { id, name, categoryId: exactInteger(categoryId), status };
}
