import { afterAll, beforeAll } from "bun:test";
import type { Role } from "../../src/domain/operators.ts";
import { bearer, Client } from "./client.ts";
import { type KeyOptions, RunningService, type ServiceOptions } from "./service.ts";

/** The time-out of a start, in ms: the first service on PostgreSQL also starts the server. */
const PATIENCE = 300_000;

/** A service for the tests of the file or `describe` that calls this. It runs from before the first to after the last. */
export function useService(options: ServiceOptions = {}): RunningService {
  const service = new RunningService(options);
  beforeAll(() => service.start(), PATIENCE);
  afterAll(() => service.remove());
  return service;
}

/** A key that is created before the tests, and a client with it. */
export function useKey(service: RunningService, options: KeyOptions = {}) {
  const key = { id: "", secret: "" };
  beforeAll(async () => {
    Object.assign(key, await service.createKey(options));
  });
  const client = new Client({
    get url() {
      return service.url;
    },
    get headers() {
      return bearer(key.secret);
    },
  });
  return { key, client };
}

/** An operator that is created before the tests, and a client with its token. */
export function useOperator(service: RunningService, role: Role = "admin") {
  const operator = { id: "", name: "", token: "" };
  beforeAll(async () => {
    const { operator: created, token } = await service.withOperator(role);
    Object.assign(operator, { id: created.id, name: created.name, token });
  });
  const client = Client.ofOperator({
    get url() {
      return service.adminUrl;
    },
    get headers() {
      return bearer(operator.token);
    },
  });
  return { operator, client };
}
