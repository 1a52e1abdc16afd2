import { createServer, type Server } from 'node:http';
import { consoleAt, home } from '../app/console/serve.ts';
import { systemClock } from '../base/clock.ts';
import { CommandFailed } from '../base/command-failed.ts';
import { UsageError } from './client.ts';
import { builtHere, isAddress, ROOT } from './console-built.ts';
import type { Outcome } from './tell.ts';

/** `localhost` is one of the addresses at which browsers have ciphers and passkeys without https. */
const HOST = 'localhost';
const PORT = 8089;

/** Serves the console of this checkout for the service at `url`. */
export function consoleServer(url: string): Server {
  const at = { host: HOST, port: PORT };
  const files = consoleAt({ baseUrl: url.replace(/\/+$/, ''), console: { at } }, systemClock, ROOT);
  return createServer((request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = request.url!.replace(/\?.*$/s, '');
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
