import Fastify from "fastify";
import { given } from "./given.ts";

const app = Fastify();
app.get("/v1/pets", async () => ({ hello: "world" }));
await app.listen({ port: given.port, host: given.host });
