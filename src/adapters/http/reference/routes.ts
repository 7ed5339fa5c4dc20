import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { Hono } from "hono";
import type { Deployment } from "../../../domain/deployment.ts";
import type { RequestContext } from "../request.ts";
import { CompressedBodies, sendCompressed } from "../responses.ts";
import { referenceFiles } from "./files.ts";

/** The page connects only to this service, and to the two deployments when the reader tries a call. */
function policyFor(baseUrls: Record<Deployment, string>): string {
  const origins = Object.values(baseUrls).map((url) => new URL(url).origin);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self' ${origins.join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Reference · Petstore</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/reference/swagger-ui.css">
<link rel="stylesheet" href="/docs/reference/style.css">
<script src="/docs/reference/swagger-ui.js" defer></script>
<script src="/docs/reference/start.js" type="module"></script>
</head>
<body>
<header>
<a href="/docs"><img src="/docs/icon.svg" alt="" width="24" height="24">Petstore</a>
<a href="/docs/interface">Documentation</a>
<a href="/openapi.json">OpenAPI</a>
</header>
<div id="reference"></div>
<p id="announcement" role="status"></p>
</body>
</html>
`;

const types: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** `/docs/reference`: an interactive reference from `/openapi.json`, with its files. */
export function referenceRoutes(baseUrls: Record<Deployment, string>) {
  const files = referenceFiles();
  const bodies = new CompressedBodies();
  const send = async (context: RequestContext, name: string, read: () => string | Uint8Array) =>
    sendCompressed(context, await bodies.get(name, read), {
      "Content-Type": types[extname(name)] ?? "",
      "Content-Security-Policy": policyFor(baseUrls),
      "Referrer-Policy": "no-referrer",
      "Cache-Control": "no-cache",
    });

  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.get("/docs/reference", (c) => send(c.env, "index.html", () => PAGE));
  for (const [name, path] of Object.entries(files))
    routes.get(`/docs/reference/${name}`, (c) => send(c.env, name, () => readFileSync(path)));
  return routes;
}
