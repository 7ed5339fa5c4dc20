// Receives webhooks of Petstore, with @petstore/client: PORT=9000 WEBHOOK_SECRET=whsec_… node receiver.ts
import { createServer } from "node:http";
import { verifyWebhook } from "@petstore/client";

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  try {
    const { type, data } = await verifyWebhook(body, request.headers, process.env.WEBHOOK_SECRET ?? "");
    if (type !== "webhook.test") console.log(type, data.subject, data.version);
    response.writeHead(204).end();
  } catch {
    response.writeHead(401).end();
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
