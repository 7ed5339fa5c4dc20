/** The headers of the service's list, with values of the same length. */
export const answerHeaders = {
  "Content-Type": "application/json",
  "X-Request-Id": "1f0c7e2a-7f57-4b6e-9a6c-2f0d3a1f9b11",
  "X-Content-Type-Options": "nosniff",
  "Cache-Control": "private, no-cache",
  Vary: "Authorization",
  ETag: '"2jmj7l5rSw0yVb_vlWAYkK_YBwk"',
  Link: '<http://127.0.0.1:8080/v1/pets?limit=20&status=available&after=59>; rel="next"',
  "X-RateLimit-Limit": "1000000000",
  "X-RateLimit-Remaining": "999000000",
  "X-RateLimit-Reset": "1795770134",
  "RateLimit-Policy": '"minute";q=1000000000;w=60, "day";q=1000000000;w=86400',
  RateLimit: '"minute";r=999000000;t=60, "day";r=999000000;t=86400',
};
