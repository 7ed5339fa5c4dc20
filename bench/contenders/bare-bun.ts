import { options } from "./arguments.ts";

const headers = { "Content-Type": "application/json" };

Bun.serve({
  hostname: options.host,
  port: options.port,
  development: false,
  fetch: () => new Response(options.answer, { headers }),
});
