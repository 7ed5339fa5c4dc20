import { describe, expect, test } from "bun:test";
import { startService } from "../support/service.ts";
import { newStore } from "../support/store.ts";
import { Workplace } from "./petstore.ts";

describe.each(["sqlite", "postgres"] as const)("a store on %s", (engine) => {
  test("is opened by the deployment that made it alone, by commands too", async () => {
    const store = await newStore(engine);
    const workplace = new Workplace({ store });
    const staging = { PETSTORE_DEPLOYMENT: "staging" };
    const create = ["keys", "create", "--name", "My app", "--plan", "free", "--json"];
    expect((await workplace.run([...create, "--create"], { env: staging })).json.key).toStartWith("pets_stag_");
    for (const args of [create, ["keys", "list"], ["pets", "export"], ["database", "migrate"]]) {
      const { code, stderr } = await workplace.run(args);
      expect({ args, code }).toEqual({ args, code: 1 });
      expect(stderr).toContain(
        "belongs to staging, and this is production. Set DATABASE_URL to a database of production, or PETSTORE_DEPLOYMENT to staging.",
      );
    }
    await expect(startService({ store })).rejects.toThrow("belongs to staging, and this is production");
    await (await startService({ store, env: staging })).remove();
  }, 60_000);
});
