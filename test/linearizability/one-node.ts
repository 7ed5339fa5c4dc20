import { createKey, StoreDirectory } from "../durability/store-directory.ts";
import { Node } from "../support/nodes.ts";
import { freePort } from "../support/ports.ts";
import { databasePathOf } from "../support/store.ts";
import type { System } from "./system.ts";

/** Starts a node on SQLite, which is killed so many times (SIGKILL), and started again at once on the same file. */
export async function startOneNode(kills: number): Promise<System> {
  const directory = new StoreDirectory();
  const secret = await createKey(directory.path);
  const node = new Node(await freePort(), { DATABASE_URL: `sqlite:${databasePathOf(directory.path)}` });
  await node.start();
  const restart = async () => {
    await node.kill();
    await node.start();
  };
  return {
    name: "one node on SQLite",
    urls: [node.url],
    secret,
    outages: Array.from({ length: kills }, () => restart),
    async [Symbol.asyncDispose]() {
      await node.kill();
      directory[Symbol.dispose]();
    },
  };
}
