import { thisRuntime } from "../commands/program.ts";
import { MovableClock } from "./clock.ts";
import { newKeyOf, parse, settingsOf } from "./options.ts";
import { PersistentListener } from "./persistent-listener.ts";
import type { PetstoreOptions, TestPetstore } from "./petstore.ts";
import { FailureQueue } from "./planned-failures.ts";
import { ReceivedRequests } from "./received-requests.ts";
import { NewTestPet, SeededService } from "./seeded-service.ts";

/** The machine's clock, also when a test replaces Date later. */
const { now } = Date;

/**
 * Starts a pet store in this process, in memory, on a free port. Close it, or declare it with `await using`.
 *
 *     await using store = await startPetstore({ plan: "free", pets: 50, seed: 7 });
 *     const pets = await fetch(`${store.url}/pets`, { headers: { Authorization: `Bearer ${store.key}` } });
 *
 * @throws TypeError for invalid options
 */
export async function startPetstore(options: PetstoreOptions = {}): Promise<TestPetstore> {
  const settings = settingsOf(options);
  const runtime = await thisRuntime();
  const clock = new MovableClock(now, settings.now);
  const fail = new FailureQueue();
  let service: SeededService;
  const received = new ReceivedRequests(clock.read, (key) => service.keyId(key));
  const listener = await PersistentListener.open(runtime.listen, settings.port, { fail, received, clock: clock.read });
  const start = () =>
    SeededService.start(settings, { ...runtime, listen: listener.listen, port: listener.port, clock: clock.read });
  try {
    service = await start();
  } catch (error) {
    await listener.close();
    throw error;
  }
  let closed: Promise<void> | undefined;
  const requireOpen = () => {
    if (closed !== undefined) throw new Error("This pet store is closed.");
    return service;
  };
  // Resets follow each other, and a close follows the last: none leaves a service behind.
  let resets: Promise<void> = Promise.resolve();
  const reset = async () => {
    const before = requireOpen();
    clock.reset();
    service = await start();
    fail.clear();
    received.clear();
    await before.stop();
  };
  const close = () => {
    closed ??= Promise.all([listener.close(), resets.catch(() => {})]).then(() => service.stop());
    return closed;
  };

  return {
    url: `http://127.0.0.1:${listener.port}/v1`,
    key: service.firstKey.key,
    clock,
    fail,
    get requests() {
      return received.all;
    },
    createKey: async (keyOptions = {}) => requireOpen().createKey(newKeyOf(keyOptions)),
    createPet: async (pet) => requireOpen().createPet(parse(NewTestPet, pet, "createPet")),
    reset() {
      resets = resets.catch(() => {}).then(reset);
      return resets;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
