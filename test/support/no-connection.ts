import type { Connection } from "../../src/adapters/http/request.ts";

/** For requests that arrive on no connection. */
export const noConnection: Connection = {
  address: () => "::1",
  allowPause() {},
  cut: () => Response.error(),
};
