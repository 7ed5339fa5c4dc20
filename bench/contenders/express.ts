import express from "express";
import { given } from "./given.ts";

const app = express();
app.get("/v1/pets", (_request, response) => response.json({ hello: "world" }));
app.listen(given.port, given.host);
