import { PetstoreError } from "../../domain/errors.ts";
import type { RequestContext } from "./request-context.ts";

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Page not found · Petstore</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header><a class="brand" href="/docs"><img src="/docs/icon.svg" alt="" width="24" height="24">Petstore</a></header>
<main id="content">
<h1>Page not found</h1>
<p>There is nothing at this address. Begin with the <a href="/docs">documentation</a> or the <a href="/docs/reference">reference</a>.</p>
</main>
</body>
</html>
`;

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page that a browser shows for a 404; undefined for other errors, and for a client that does not ask for HTML. */
export function notFoundPage({ request, headers }: RequestContext, error: unknown): Response | undefined {
  if (!(error instanceof PetstoreError) || error.kind !== "not_found") return undefined;
  headers.Vary = "Accept";
  if (!request.headers.get("Accept")?.toLowerCase().includes("text/html")) return undefined;
  headers["Cache-Control"] = "no-store";
  headers["Content-Type"] = "text/html; charset=utf-8";
  headers["Content-Security-Policy"] = POLICY;
  headers["Referrer-Policy"] = "no-referrer";
  return new Response(PAGE, { status: 404, headers });
}
