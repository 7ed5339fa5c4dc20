import express from "express";
import { options } from "./arguments.ts";

const app = express();
app.get("/v1/pets", (_request, response) => response.json({ hello: "world" }));
app.listen(options.port, options.host);
