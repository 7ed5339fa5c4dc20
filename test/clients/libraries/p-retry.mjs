/** fetch with p-retry, as its documentation shows it. */
import pRetry from "p-retry";
import { makeCalls } from "./calls.mjs";

makeCalls(({ url, ...call }) =>
  pRetry(
    async () => {
      const response = await fetch(url, call);
      if (!response.ok) throw new Error(response.statusText);
      return response.status;
    },
    { retries: 5 },
  ),
);
