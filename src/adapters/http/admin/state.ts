import { answer, type Handler } from "./request-context.ts";
import type { State } from "./schemas.ts";

/** How the service is, as the wiring knows it. */
export function stateHandlers({ state }: { state: () => Promise<State> }) {
  const show: Handler = async ({ env }) => answer(env, 200, await state());
  return { show };
}
