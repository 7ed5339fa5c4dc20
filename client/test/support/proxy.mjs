// A proxy on Node, whose server takes CONNECT. Prints its address, and then each request that goes through it.
import { createProxy } from "proxy";

const proxy = createProxy();
for (const event of ["request", "connect"]) proxy.on(event, ({ method, url }) => console.log(`${method} ${url}`));
proxy.listen(0, "127.0.0.1", () => {
  const address = proxy.address();
  if (address instanceof Object) console.log(`http://127.0.0.1:${address.port}`);
});
