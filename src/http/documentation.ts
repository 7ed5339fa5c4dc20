import { readFileSync } from "node:fs";
import { Hono } from "hono";
import type { Deployment } from "../deployment.ts";
import { openApiDocument } from "./document.ts";
import { type Exchange, jsonText } from "./exchange.ts";
import { toJson } from "./json.ts";

/** The reference's program, as its package ships it: served by us, so that it works with no network. */
const REFERENCE = new URL(import.meta.resolve("@scalar/api-reference/browser/standalone.js"));

/** The page asks nobody but this service, and the two deployments when its reader tries a call. */
function policyFor(baseUrls: Record<Deployment, string>): string {
  const origins = Object.values(baseUrls).map((url) => new URL(url).origin);
  return [
    "default-src 'none'",
    "script-src 'self' 'unsafe-eval'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src data:",
    `connect-src 'self' ${origins.join(" ")}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join("; ");
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Pet Store Service Interface</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<script src="/docs/reference.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

const START = `Scalar.createApiReference("#reference", {
  url: "/openapi.json",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
});
`;

/** `/openapi.json`, and `/docs`: an interactive reference made from it. */
export function documentationRoutes(baseUrls: Record<Deployment, string>) {
  const document = toJson(openApiDocument(baseUrls));
  const policy = policyFor(baseUrls);
  let reference: Uint8Array<ArrayBuffer> | undefined;

  const routes = new Hono<{ Bindings: Exchange }>();
  routes.get("/openapi.json", (c) => jsonText(c.env, 200, document, { "Access-Control-Allow-Origin": "*" }));
  routes.get("/docs", (c) => file(c.env, PAGE, "text/html; charset=utf-8", { "Content-Security-Policy": policy }));
  routes.get("/docs/start.js", (c) => file(c.env, START, "text/javascript; charset=utf-8"));
  routes.get("/docs/reference.js", (c) => {
    reference ??= new Uint8Array(readFileSync(REFERENCE));
    return file(c.env, reference, "text/javascript; charset=utf-8", { "Cache-Control": "public, max-age=3600" });
  });
  return routes;
}

function file(
  exchange: Exchange,
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  headers: Record<string, string> = {},
): Response {
  const all = { ...exchange.headers, "Content-Type": type, "X-Content-Type-Options": "nosniff", ...headers };
  return new Response(body, { headers: all });
}
