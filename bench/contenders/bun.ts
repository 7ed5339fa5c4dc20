import { Database } from "bun:sqlite";
import { options } from "./arguments.ts";
import { type Answer, EqualWork, notFound } from "./equal-work.ts";

/** The service's work on `Bun.serve` and `bun:sqlite`. */
const root = `http://${options.host}:${options.port}`;
const work = new EqualWork(new Database(options.file, { safeIntegers: true }), root);

Bun.serve({
  hostname: options.host,
  port: options.port,
  development: false,
  async fetch(request, server) {
    const { method, url, headers } = request;
    const [path = "", query = ""] = url.slice(root.length).split("?");
    if (!path.startsWith("/v1/")) return new Response(null, { status: 404 });
    const admission = work.admit({
      ...{ method, path },
      authorization: headers.get("Authorization"),
      requestId: headers.get("X-Request-Id"),
      address: () => server.requestIP(request)?.address ?? "",
    });
    const found = admission.refusal ?? operation(request, path, query);
    const { status, headers: own, body } = found instanceof Promise ? await found : found;
    return new Response(body, { status, headers: { ...admission.headers, ...own } });
  },
});

function operation(request: Request, path: string, query: string): Answer | Promise<Answer> {
  const { method } = request;
  const id = path.startsWith("/v1/pets/") ? path.slice("/v1/pets/".length) : undefined;
  if (method === "GET" && path === "/v1/pets") return work.list(query);
  if (method === "GET" && id !== undefined) return work.get(id);
  if (method === "POST" && path === "/v1/pets") return request.text().then((text) => work.create(text));
  if (method === "PATCH" && id !== undefined) return request.text().then((text) => work.change(id, text));
  if (method === "POST" && path === "/v1/store/orders") return request.text().then((text) => work.order(text));
  return notFound();
}
