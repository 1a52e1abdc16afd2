// src/runner/sandbox/forwarder/main.ts
import { connect, createServer } from "node:net";
import { join } from "node:path";
var CONNECTIONS = 256;
var IDLE_MS = 12e4;
function joinSockets(one, other) {
  one.pipe(other).pipe(one);
  for (const [from, to] of [
    [one, other],
    [other, one]
  ]) {
    from.setTimeout(idleMs ?? IDLE_MS, () => from.destroy());
    from.on("error", () => to.destroy());
    from.on("close", () => {
      if (!from.readableEnded || !from.writableFinished) to.destroy();
    });
  }
}
function forward(to) {
  const server = createServer(
    { allowHalfOpen: true },
    (socket) => joinSockets(socket, connect({ ...to, allowHalfOpen: true }))
  );
  server.maxConnections = CONNECTIONS;
  return server;
}
var listening = (server, at) => new Promise((resolve, reject) => {
  server.once("error", reject);
  if (typeof at === "string") server.listen(at, resolve);
  else server.listen(at, "127.0.0.1", resolve);
});
var { folder, ports, egress, uid, idleMs } = JSON.parse(process.argv[2]);
for (const port of new Set(ports)) await listening(forward({ host: "127.0.0.1", port }), join(folder, `${port}.sock`));
if (egress !== void 0) await listening(forward({ path: egress.socket }), egress.port);
process.setgroups([]);
process.setgid(uid);
process.setuid(uid);
process.stdin.resume();
process.stdin.once("close", () => process.exit());
process.stdout.write("ready\n");
