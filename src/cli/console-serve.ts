import { createServer, type Server, type ServerResponse } from 'node:http';
import { consoleAt, home } from '../app/console/serve.ts';
import { systemClock } from '../base/clock.ts';
import { CommandFailed } from '../base/command-failed.ts';
import { UsageError } from './client.ts';
import { builtHere, isAddress, ROOT } from './console-built.ts';
import type { Outcome } from './tell.ts';

/** `localhost` is one of the addresses at which browsers have ciphers and passkeys without https. */
const HOST = 'localhost';
const PORT = 8089;

const LONGEST_MS = 10_000;
const NO_ANSWER = { status: 503, text: JSON.stringify({ status: 'not ready', reason: 'it does not answer this machine' }) };

/** Pages ask at their own origin whether the service is ready, and a service lets no other origin ask. */
async function passReady(service: string, response: ServerResponse): Promise<void> {
  const asked = async () => {
    const answer = await fetch(`${service}/ready`, { redirect: 'error', signal: AbortSignal.timeout(LONGEST_MS) });
    return { status: answer.status, text: await answer.text() };
  };
  const { status, text } = await asked().catch(() => NO_ANSWER);
  response
    .writeHead(status, { 'content-type': 'application/json', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' })
    .end(text);
}

/** Serves the console of this checkout for the service at `url`. */
export function consoleServer(url: string): Server {
  const at = { host: HOST, port: PORT };
  const service = url.replace(/\/+$/, '');
  const files = consoleAt({ baseUrl: service, console: { at } }, systemClock, ROOT);
  return createServer((request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = request.url!.replace(/\?.*$/s, '');
    if (isRead && path === '/ready') return void passReady(service, response);
    const answer = isRead ? (path === '/' ? home : files(path)) : undefined;
    if (answer === undefined) response.writeHead(isRead ? 404 : 405).end();
    else void answer(request, response);
  });
}

/** `countersign console serve --url URL`. It runs until it is ended. */
export async function serveConsole(url: string | undefined): Promise<Outcome> {
  if (url === undefined || !isAddress(url)) throw new UsageError('console serve needs --url, the address of the service');
  builtHere();
  const server = consoleServer(url);
  const listens = new Promise<void>((done, fail) => server.once('error', fail).listen(PORT, HOST, done));
  await listens.catch((error: Error) => {
    throw new CommandFailed(`the port ${PORT} of this machine cannot be used: ${error.message}`);
  });
  process.stdout.write(
    `The console for ${new URL(url).origin} is at http://${HOST}:${PORT}/console/ until you end this command.\n`,
  );
  return undefined;
}
