import Database from "better-sqlite3";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { options } from "./arguments.ts";
import { type Answer, EqualWork, notFound } from "./equal-work.ts";

/** The service's work on Fastify and better-sqlite3. */
const root = `http://${options.host}:${options.port}`;
const work = new EqualWork(new Database(options.file).defaultSafeIntegers(true), root);
const app = Fastify({ exposeHeadRoutes: false });

app.removeAllContentTypeParsers();
app.addContentTypeParser("*", { parseAs: "string" }, (_, body, done) => done(null, body));
app.addHook("onRequest", (request, reply, done) => {
  const { method, url, headers } = request;
  const { authorization, "x-request-id": requestId } = headers;
  if (!url.startsWith("/v1/")) {
    done();
    return;
  }
  const admission = work.admit({
    ...{ method, path: pathOf(url), authorization },
    requestId: typeof requestId === "string" ? requestId : undefined,
    address: () => request.ip,
  });
  reply.headers(admission.headers);
  if (admission.refusal === undefined) done();
  else send(reply, admission.refusal);
});

type Identified = FastifyRequest<{ Params: { id: string } }>;
const pathOf = (url: string) => url.split("?")[0] ?? "";
const textOf = ({ body }: FastifyRequest) => (typeof body === "string" ? body : "");

app.get("/v1/pets", ({ url }, reply) => send(reply, work.list(url.split("?")[1] ?? "")));
app.post("/v1/pets", async (request, reply) => send(reply, await work.create(textOf(request))));
app.get("/v1/pets/:id", ({ params }: Identified, reply) => send(reply, work.get(params.id)));
app.patch("/v1/pets/:id", async (request: Identified, reply) =>
  send(reply, await work.change(request.params.id, textOf(request))),
);
app.post("/v1/store/orders", async (request, reply) => send(reply, await work.order(textOf(request))));
app.setNotFoundHandler((_, reply) => send(reply, notFound()));

await app.listen({ host: options.host, port: options.port });

/** As bytes: to text Fastify adds a charset. */
function send(reply: FastifyReply, { status, headers, body }: Answer): FastifyReply {
  return reply.code(status).headers(headers).send(Buffer.from(body));
}
