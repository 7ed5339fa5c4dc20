import { Hono } from "hono";
import { type Awaitable, after } from "../../../domain/awaitable.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import type { RequestContext } from "../request-context.ts";
import type { Guide } from "./guide.ts";

/** Pages load scripts, styles and pictures only from the service, and have no inline ones. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A picture contains its styles. It runs no scripts, also when a browser opens it by itself. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** For files other than pages: their URLs change with their content. */
const CACHE_CONTROL = "public, max-age=86400";

const HINT = "The documentation's contents are at /docs.";

/** `/docs` and the paths below it: the files in docs/ as a site. The first request loads the renderer. */
export function guideRoutes() {
  let guide: Awaitable<Guide> | undefined;
  const load = (): Awaitable<Guide> => {
    guide ??= import("./guide.ts")
      .then(({ Guide }) => {
        guide = new Guide();
        return guide;
      })
      .catch((error) => {
        // The next request tries again.
        guide = undefined;
        throw error;
      });
    return guide;
  };

  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.on("GET", ["/docs", "/docs/:name"], (c) => after(load(), (guide) => answer(guide, c.env)));
  return routes;
}

function answer(guide: Guide, { path, headers }: RequestContext): Response {
  const served = guide.at(path);
  if (served === undefined) throw new PetstoreError("not_found", { message: `This path does not exist. ${HINT}` });
  const { type, body, isPage } = served;
  headers["Content-Type"] = type;
  headers["X-Content-Type-Options"] = "nosniff";
  headers["Referrer-Policy"] = "no-referrer";
  headers["Content-Security-Policy"] = type.startsWith("image/") ? PICTURE_POLICY : POLICY;
  if (!isPage) headers["Cache-Control"] = CACHE_CONTROL;
  return new Response(body, { headers });
}
