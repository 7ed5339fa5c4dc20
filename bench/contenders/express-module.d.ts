/** Express brings no types; this is as much of it as a hello-world takes. */
declare module "express" {
  type Answer = { json(body: unknown): void };
  type App = {
    get(path: string, handler: (request: unknown, response: Answer) => void): void;
    listen(port: number, host: string): void;
  };
  export default function express(): App;
}
