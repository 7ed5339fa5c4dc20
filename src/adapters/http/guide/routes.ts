import { Hono } from "hono";
import { PetstoreError } from "../../../domain/errors.ts";
import { CompressedBodies, sendCompressed } from "../compressed.ts";
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

/** A page's files are named by their contents and may be kept; a page is asked for again, with its ETag. */
const KEPT = "public, max-age=86400";
const REVALIDATED = "no-cache";

const HINT = "The documentation's contents are at /docs.";

/** `/docs` and what is below it: the files in docs/ as a site. What renders them is loaded with the first request. */
export function guideRoutes() {
  const bodies = new CompressedBodies();
  let guide: Promise<Guide> | undefined;
  const opened = (): Promise<Guide> => {
    guide ??= import("./guide.ts")
      .then(({ Guide }) => new Guide())
      .catch((error) => {
        // Files that cannot be opened now may be later.
        guide = undefined;
        throw error;
      });
    return guide;
  };

  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.on("GET", ["/docs", "/docs/:name"], async (c) => answer(await opened(), bodies, c.env));
  return routes;
}

async function answer(guide: Guide, bodies: CompressedBodies, context: RequestContext): Promise<Response> {
  const served = guide.at(context.path);
  if (served === undefined) throw new PetstoreError("not_found", { message: `There is nothing at this path. ${HINT}` });
  const { type, body, isPage } = served;
  return sendCompressed(context, await bodies.get(context.path, () => body), {
    "Content-Type": type,
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": type.startsWith("image/") ? PICTURE_POLICY : POLICY,
    "Cache-Control": isPage ? REVALIDATED : KEPT,
  });
}
