import { Hono } from "hono";
import { PetstoreError } from "../../../domain/errors.ts";
import type { RequestContext } from "../request.ts";
import { CompressedBodies, sendCompressed } from "../responses.ts";
import type { Address } from "./contents.ts";
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

/** Browsers keep files whose URLs change with their content, and revalidate pages. */
const CACHE_CONTROL = "public, max-age=86400";
const REVALIDATED = "no-cache";

const HINT = "The documentation's contents are at /docs.";

/** `/docs` and the paths below it: the files in docs/ as a site, listed in `/llms.txt`. The first request loads the renderer. */
export function guideRoutes(address: Address) {
  const bodies = new CompressedBodies();
  let guide: Promise<Guide> | undefined;
  const load = (): Promise<Guide> => {
    guide ??= import("./guide.ts")
      .then(({ Guide }) => new Guide(address))
      .catch((error) => {
        // The next request tries again.
        guide = undefined;
        throw error;
      });
    return guide;
  };

  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.on("GET", ["/docs", "/docs/:name", "/llms.txt"], async (c) => answer(await load(), bodies, c.env));
  return routes;
}

async function answer(guide: Guide, bodies: CompressedBodies, context: RequestContext): Promise<Response> {
  const served = guide.at(context.path);
  if (served === undefined) throw new PetstoreError("not_found", { message: `This path does not exist. ${HINT}` });
  const { type, body, isVersioned } = served;
  return sendCompressed(context, await bodies.get(context.path, () => body), {
    "Content-Type": type,
    "Referrer-Policy": "no-referrer",
    "Content-Security-Policy": type.startsWith("image/") ? PICTURE_POLICY : POLICY,
    "Cache-Control": isVersioned ? CACHE_CONTROL : REVALIDATED,
  });
}
