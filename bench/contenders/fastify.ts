import Fastify from "fastify";
import { options } from "./arguments.ts";

const app = Fastify();
app.get("/v1/pets", async () => ({ hello: "world" }));
await app.listen({ port: options.port, host: options.host });
