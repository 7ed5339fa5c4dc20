import { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import type { Deployment } from "../../../domain/deployment.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import { KeyAdministration } from "../../../domain/keys/administration.ts";
import { keyAsJson } from "../../../domain/keys/json.ts";
import { cursorOf, isWanted, newestFirst, placeOf, type Wanted } from "../../../domain/keys/listing.ts";
import { stateOf, states } from "../../../domain/keys/state.ts";
import type { KeyStore, KeyWithSecrets } from "../../../domain/keys/store.ts";
import type { Limiter } from "../../../domain/limits/limiter.ts";
import { plans } from "../../../domain/limits/plans.ts";
import { readBody } from "../body.ts";
import { readQuery, wholeNumber, words } from "../parameters.ts";
import { withLimitStatus } from "./limit-status.ts";
import { answer, authorOf, type Call, type Handler, idOf, type Operated } from "./request-context.ts";
import { KeyChange, type Key as KeySchema, NewKey, Rotation } from "./schemas.ts";

type Parts = {
  keys: KeyStore;
  standing: Limiter["status"];
  clock: Clock;
  deployment: Deployment;
};

export const KeysQuery = z.object({
  limit: wholeNumber(1, 200).default(50),
  after: z
    .string()
    .transform((text, context) => placeOf(text) ?? notAPlace(context))
    .optional()
    .meta({ type: "string", description: "The `next` of the page before." }),
  search: z.string().max(100, { error: "must be 100 characters at most" }).optional().meta({
    description: "Only keys whose id, name or last four characters contain this.",
  }),
  plan: words(plans).optional(),
  state: words(states).optional(),
});

/** What operators do with keys. */
export function keyHandlers({ keys, standing, clock, deployment }: Parts) {
  const administrationFor = (context: Operated) => new KeyAdministration(keys, deployment, authorOf(context));

  const list: Handler = async ({ env }) => {
    const { limit, after, ...wanted } = readQuery(KeysQuery, env.request.url);
    const matching = await find(wanted);
    const rest = after === undefined ? matching : matching.filter(({ key }) => newestFirst(after, key) < 0);
    const shown = rest.slice(0, limit);
    const last = rest.length > shown.length ? shown.at(-1) : undefined;
    const now = clock();
    return answer(env, 200, {
      keys: (await withLimitStatus(shown, standing)).map((one) => keyAsJson(one, now)),
      next: last === undefined ? null : cursorOf(last.key),
      total: matching.length,
    });
  };

  /** Every key that is wanted, newest first. Only where its state matters is what each key used looked up. */
  async function find(wanted: Wanted): Promise<KeyWithSecrets[]> {
    const all = (await keys.list()).toSorted((a, b) => newestFirst(a.key, b.key));
    if (wanted.state === undefined) return all.filter((one) => isWanted(one, "active", wanted));
    const now = clock();
    return (await withLimitStatus(all, standing)).filter((one) =>
      isWanted(one, stateOf(one.key, one.limitStatus?.ban, now), wanted),
    );
  }

  const show: Handler = (c) => answerWith(c, idOf(c));

  async function answerWith({ env }: Call, id: string): Promise<Response> {
    return answer(env, 200, await current(id));
  }

  /** The key as it is now. @throws key_not_found */
  async function current(id: string): Promise<z.infer<typeof KeySchema>> {
    const found = await keys.get(id);
    const [current] = found === undefined ? [] : await withLimitStatus([found], standing);
    if (current === undefined) throw new PetstoreError("key_not_found");
    return keyAsJson(current, clock());
  }

  const create: Handler = async ({ env }) => {
    const wanted = await readBody(env, NewKey);
    const { key, secret } = await administrationFor(env).create(wanted, clock());
    return answer(env, 201, { key: await current(key.id), secret });
  };

  const update: Handler = async (c) => {
    const change = await readBody(c.env, KeyChange);
    await administrationFor(c.env).update(idOf(c), change, clock());
    return answerWith(c, idOf(c));
  };

  const rotate: Handler = async (c) => {
    const { graceSeconds } = hasBody(c.env.request) ? await readBody(c.env, Rotation) : Rotation.parse({});
    const { key, secret } = await administrationFor(c.env).rotate(idOf(c), graceSeconds * 1000, clock());
    return answer(c.env, 200, { key: await current(key.id), secret });
  };

  const revoke: Handler = async (c) => {
    await administrationFor(c.env).revoke(idOf(c), clock());
    return answerWith(c, idOf(c));
  };

  const unban: Handler = async (c) => {
    await administrationFor(c.env).unban(idOf(c), clock());
    return answerWith(c, idOf(c));
  };

  return { list, show, create, update, rotate, revoke, unban };
}

function notAPlace(context: z.RefinementCtx): never {
  context.addIssue("must be the next of a page before");
  return z.NEVER;
}

function hasBody({ headers }: Request): boolean {
  return headers.has("Transfer-Encoding") || (headers.get("Content-Length") ?? "0") !== "0";
}
