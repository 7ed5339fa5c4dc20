import { Hono } from "hono";
import { type Awaitable, after } from "../../../domain/awaitable.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import type { RequestContext } from "../request-context.ts";
import type { Guide } from "./guide.ts";

/** Pages are made of nothing but themselves: no script, style or picture from elsewhere, and none within them. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** A picture has its colours within it, and is nothing but a picture, also when it is opened by itself. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** What is the same for everyone may be kept; a page's files are named by their contents. */
const KEPT = "public, max-age=86400";

const HINT = "The documentation's contents are at /docs.";

/** `/docs` and what is below it: the files in docs/ as a site. What renders them is loaded with the first request. */
export function guideRoutes() {
  let guide: Awaitable<Guide> | undefined;
  const opened = (): Awaitable<Guide> => {
    guide ??= import("./guide.ts")
      .then(({ Guide }) => {
        guide = new Guide();
        return guide;
      })
      .catch((error) => {
        // Files that cannot be opened now may be later.
        guide = undefined;
        throw error;
      });
    return guide;
  };

  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.on("GET", ["/docs", "/docs/:name"], (c) => after(opened(), (guide) => answer(guide, c.env)));
  return routes;
}

function answer(guide: Guide, { path, headers }: RequestContext): Response {
  const served = guide.at(path);
  if (served === undefined) throw new PetstoreError("not_found", { message: `There is nothing at this path. ${HINT}` });
  const { type, body, isPage } = served;
  headers["Content-Type"] = type;
  headers["X-Content-Type-Options"] = "nosniff";
  headers["Referrer-Policy"] = "no-referrer";
  headers["Content-Security-Policy"] = type.startsWith("image/") ? PICTURE_POLICY : POLICY;
  if (!isPage) headers["Cache-Control"] = KEPT;
  return new Response(body, { headers });
}
