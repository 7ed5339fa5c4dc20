import type { RunningService } from "../../../test/support/service.ts";
import { type Clock, type IntegerMode, PetstoreClient, type PetstoreOptions } from "../../src/main.ts";

type Options<Mode extends IntegerMode> = Partial<PetstoreOptions<Mode>>;

/** A client of a running service, by default with a new key. */
export async function petstoreOf<const Mode extends IntegerMode = "mixed">(
  service: RunningService,
  options: Options<Mode> = {},
): Promise<PetstoreClient<Mode>> {
  const apiKey = options.apiKey ?? (await service.createKey()).secret;
  return new PetstoreClient({ baseUrl: `${service.url}/v1`, ...options, apiKey });
}

/** The service's clock, which each sleep advances: days pass at once, for the client and the service alike. */
export function clockOf(service: RunningService): Clock {
  return {
    now: () => service.now,
    random: () => Math.random(),
    sleep: async (ms, signal) => {
      const end = Math.ceil(service.now + ms);
      // Concurrent sleeps overlap.
      await new Promise(setImmediate);
      signal?.throwIfAborted();
      if (end > service.now) await service.setClock(end);
    },
  };
}

/** A `fetch` that records its requests, with header names in lower case, and the statuses of the responses. */
export function recorder() {
  const requests: { url: string; headers: Record<string, string>; body: string }[] = [];
  const statuses: number[] = [];
  const recorded = async (url: string, init: RequestInit) => {
    requests.push({ url, headers: Object.fromEntries(new Headers(init.headers)), body: String(init.body ?? "") });
    const response = await fetch(url, init);
    statuses.push(response.status);
    return response;
  };
  return { fetch: recorded, requests, statuses };
}
