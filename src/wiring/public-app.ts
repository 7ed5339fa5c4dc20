import { type AppOn, type Parts as AppParts, createApp } from "../adapters/http/app.ts";
import type { ActivityBuffer } from "../adapters/memory/activity-buffer.ts";
import { MemoryMinuteLimiter } from "../adapters/memory/limiter.ts";
import type { RequestBuffer } from "../adapters/memory/requests.ts";
import { KeyUsage, type UsageBuffer } from "../adapters/memory/usage.ts";
import { rehearsing } from "../domain/keys/store.ts";
import type { Clock } from "../domain/time.ts";
import { type Config, listeningOn } from "./config.ts";
import type { openInstrumentation } from "./instrumentation.ts";
import type { Limiting } from "./limiting.ts";
import type { Log } from "./log.ts";
import type { Runtime } from "./runtime.ts";
import type { Stores } from "./stores.ts";

/** How many requests to free operations a key may send per minute. */
const FREE_USES = 60;

type Parts = Pick<AppParts, "health" | "report" | "stopping"> &
  Pick<Awaited<ReturnType<typeof openInstrumentation>>, "metrics" | "tracing"> & {
    config: Config;
    stores: Stores;
    limiting: Limiting;
    activity: ActivityBuffer;
    usageBuffer: UsageBuffer;
    requestBuffer: RequestBuffer;
    clock: Clock;
    runtime: Runtime;
    log: Log;
    /** Of the current request, for the log. */
    traceIds: () => object;
  };

/** Connects the HTTP app of the public interface. */
export function publicApp({ config, stores, limiting, clock, runtime, log, traceIds, ...parts }: Parts): AppOn {
  const { deployment, trustedProxies, corsOrigins } = config;
  const { pets, categories, orders, findKey, refresh } = stores;
  const { metrics, tracing, activity, usageBuffer, requestBuffer, health, report, stopping } = parts;
  const keyUsage = new KeyUsage(usageBuffer, stores.usage);
  return (listening, newResponse) =>
    createApp({
      ...{ pets, categories, orders, findKey, refresh },
      limiter: limiting.limiter,
      addresses: new MemoryMinuteLimiter(clock, config.addressLimit),
      freeUses: new MemoryMinuteLimiter(clock, FREE_USES),
      ...{ activity, clock, deployment, trustedProxies, corsOrigins, health, report, stopping },
      command: runtime.publicCommand,
      simulationOf: deployment === "staging" ? rehearsing(stores.keys) : undefined,
      baseUrls: listeningOn(config, listening).baseUrls,
      recorders: [usageBuffer, metrics.requests],
      history: config.requestHistory.requests === 0 ? undefined : requestBuffer,
      lastDay: (keyId, now) => keyUsage.lastDay(keyId, now),
      logRequest: config.logRequests ? (entry) => log.info({ ...entry, ...traceIds() }, "request") : undefined,
      trace: tracing && ((context, answer) => tracing.request(context, answer)),
      newResponse,
    });
}
