import { given } from "./given.ts";

const headers = { "Content-Type": "application/json" };

Bun.serve({
  hostname: given.host,
  port: given.port,
  development: false,
  fetch: () => new Response(given.answer, { headers }),
});
