import type { Runtime } from "../wiring/runtime.ts";
import { COMMAND, PUBLIC_COMMAND } from "./launcher.ts";

/** The runtime of this process: Bun or Node. */
export async function thisRuntime(): Promise<Runtime> {
  const { platform, versions } = process;
  const { bun, node } = versions;
  const { listen } = bun ? await import("../adapters/listen/bun.ts") : await import("../adapters/listen/node.ts");
  return {
    command: COMMAND,
    publicCommand: PUBLIC_COMMAND,
    name: bun ? `Bun ${bun}` : `Node ${node}`,
    listen,
    mapFile: bun && platform !== "win32" ? (await import("../adapters/socket/bun.ts")).mapFile : undefined,
    process: {
      cpu: () => {
        const { user, system } = process.cpuUsage();
        return { user: user / 1e6, system: system / 1e6 };
      },
      memory: () => process.memoryUsage.rss(),
      startedAt: Math.round(Date.now() / 1000 - process.uptime()),
    },
  };
}
