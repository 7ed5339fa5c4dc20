// The service imports the parts of prom-client that it uses, which have no declarations of their own. The whole also loads
// a client for its Pushgateway, with Node's http and https: 20 ms of each start, and 5 MB.
declare module "prom-client/lib/cluster.js" {
  export { AggregatorRegistry as default } from "prom-client";
}
declare module "prom-client/lib/counter.js" {
  export { Counter as default } from "prom-client";
}
declare module "prom-client/lib/gauge.js" {
  export { Gauge as default } from "prom-client";
}
declare module "prom-client/lib/histogram.js" {
  export { Histogram as default } from "prom-client";
}
declare module "prom-client/lib/registry.js" {
  export { Registry as default } from "prom-client";
}
