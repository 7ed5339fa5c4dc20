import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";

/** The sampler, by OpenTelemetry's names. `ratio` (0 to 1) applies to those that end in traceidratio. */
export type Sampling = {
  sampler: `${"parentbased_" | ""}${"always_on" | "always_off" | "traceidratio"}`;
  ratio: number;
};

export function samplerOf({ sampler, ratio }: Sampling): Sampler {
  const isParentBased = sampler.startsWith("parentbased_");
  const root = rootSampler(sampler.replace("parentbased_", ""), ratio);
  return isParentBased ? new ParentBasedSampler({ root }) : root;
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === "always_off") return new AlwaysOffSampler();
  return name === "always_on" ? new AlwaysOnSampler() : new TraceIdRatioBasedSampler(ratio);
}
