/**
 * The keys of an hour or of a day by their counts of an operation, largest last, without totals and simulated requests. Few
 * keys are refused: the index of refusals has only these.
 */
export const usageRankings = `
CREATE INDEX usage_by_requests ON usage (resolution, at, succeeded + refused + limited + failed)
  WHERE resolution > 60000 AND operation <> 'simulated' AND substr(who, 1, 1) <> '*';
CREATE INDEX usage_by_refusals ON usage (resolution, at, limited)
  WHERE limited > 0 AND resolution > 60000 AND operation <> 'simulated' AND substr(who, 1, 1) <> '*';
`;
