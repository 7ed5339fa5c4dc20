import { readFileSync } from "node:fs";
import { Hono } from "hono";
import type { Deployment } from "../../domain/deployment.ts";
import { toJson } from "../../domain/json/write.ts";
import { openApiDocument } from "./document.ts";
import { REFERENCE } from "./reference.ts";
import { jsonText, type RequestContext } from "./request-context.ts";

/** The page asks nobody but this service, and the two deployments when its reader tries a call. */
function policyFor(baseUrls: Record<Deployment, string>): string {
  const origins = Object.values(baseUrls).map((url) => new URL(url).origin);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "font-src data:",
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
<title>Pet Store Service Interface</title>
<link rel="icon" href="data:,">
</head>
<body>
<div id="reference"></div>
<script src="/docs/reference/reference.js"></script>
<script src="/docs/reference/start.js"></script>
</body>
</html>
`;

/**
 * Starts the reference without anything that would speak to its makers' servers. The address it was opened at comes
 * first among those to try: a page at http://localhost may not call http://127.0.0.1.
 */
function startFor({ production, staging }: Record<Deployment, string>): string {
  const deployments = [
    { url: production, description: "Production" },
    { url: staging, description: "Staging" },
  ];
  return `const here = { url: location.origin + "/v1", description: "This service" };
const deployments = ${JSON.stringify(deployments)};
const isListed = deployments.some(({ url }) => url === here.url);
Scalar.createApiReference("#reference", {
  url: "/openapi.json",
  servers: isListed ? deployments : [here, ...deployments],
  authentication: { preferredSecurityScheme: "apiKey" },
  agent: { disabled: true },
  showDeveloperTools: "never",
  telemetry: false,
  hideClientButton: true,
  withDefaultFonts: false,
});
`;
}

/** `/openapi.json`, and `/docs/reference`: an interactive reference made from it. */
export function documentationRoutes(baseUrls: Record<Deployment, string>) {
  const document = toJson(openApiDocument(baseUrls));
  const page = { "Content-Security-Policy": policyFor(baseUrls), "Referrer-Policy": "no-referrer" };
  const start = startFor(baseUrls);
  let reference: Uint8Array<ArrayBuffer> | undefined;

  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.get("/openapi.json", (c) => jsonText(c.env, 200, document, { "Access-Control-Allow-Origin": "*" }));
  routes.get("/docs/reference", (c) => file(c.env, PAGE, "text/html; charset=utf-8", page));
  routes.get("/docs/reference/start.js", (c) => file(c.env, start, "text/javascript; charset=utf-8"));
  routes.get("/docs/reference/reference.js", (c) => {
    reference ??= new Uint8Array(readFileSync(REFERENCE));
    return file(c.env, reference, "text/javascript; charset=utf-8", { "Cache-Control": "public, max-age=3600" });
  });
  return routes;
}

function file(
  context: RequestContext,
  body: string | Uint8Array<ArrayBuffer>,
  type: string,
  headers: Record<string, string> = {},
): Response {
  const all = { ...context.headers, "Content-Type": type, "X-Content-Type-Options": "nosniff", ...headers };
  return new Response(body, { headers: all });
}
