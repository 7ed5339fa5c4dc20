import { Database } from "bun:sqlite";
import { createHash } from "node:crypto";
import { Elysia, NotFoundError, t } from "elysia";
import { options } from "./arguments.ts";

type Pet = { id: number; name: string; categoryId: number; status: string };

/** What many would write by hand: each request looks its key up, and reads its page or pet. No limits, no 64-bit integers. */
const database = new Database(options.file, { readonly: true });
const PET = "SELECT id, name, category_id AS categoryId, status FROM pets";
const keyOf = database.query<{ key_id: string }, [string]>("SELECT key_id FROM secrets WHERE hash = ?");
const petOf = database.query<Pet, [number]>(`${PET} WHERE id = ?`);
const page = database.query<Pet, [string, number, number]>(`${PET} WHERE status = ? AND id > ? ORDER BY id LIMIT ?`);

new Elysia()
  .onBeforeHandle(({ headers, status }) => {
    const secret = headers.authorization?.slice("Bearer ".length) ?? "";
    if (keyOf.get(createHash("sha256").update(secret).digest("hex")) === null) return status(401);
  })
  .get("/v1/pets", ({ query: { status, after = 0, limit = 20 } }) => page.all(status, after, limit), {
    query: t.Object({ status: t.String(), after: t.Optional(t.Numeric()), limit: t.Optional(t.Numeric()) }),
  })
  .get(
    "/v1/pets/:petId",
    ({ params: { petId } }) => {
      const pet = petOf.get(petId);
      if (pet === null) throw new NotFoundError();
      return pet;
    },
    { params: t.Object({ petId: t.Numeric() }) },
  )
  .listen({ hostname: options.host, port: options.port });
