/** Builds the page and serves it on this machine: `npm start`. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildPage, type Options, optionsOf, refusal, run, Unready } from './build.ts';

const TYPES: Record<string, string> = {
  'index.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'settings.json': 'application/json',
};

/** The page runs its own script only, talks to the service only, and shows frames of the service only. */
const policyOf = ({ apiUrl, authProxyUrl = apiUrl, framesUrl = apiUrl }: Options): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; ` +
  `frame-ancestors 'none'; frame-src ${new URL(framesUrl).origin}; ` +
  `connect-src 'self' ${new URL(apiUrl).origin} ${new URL(authProxyUrl).origin}`;

/** On localhost, where browsers allow passkeys without https. */
export async function servePage(options: Options, port: number): Promise<{ server: Server; url: string }> {
  await buildPage(options);
  const server = createServer((request, response) => {
    const name = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1) || 'index.html';
    const type = TYPES[name];
    if (type === undefined) return void response.writeHead(404).end();
    response.writeHead(200, {
      'content-type': type,
      'content-security-policy': policyOf(options),
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    response.end(readFileSync(join(options.outdir, name)));
  });
  await new Promise<void>((listening, failed) => server.once('error', failed).listen(port, 'localhost', listening));
  return { server, url: `http://localhost:${(server.address() as AddressInfo).port}` };
}

if (import.meta.main)
  await run(async () => {
    const options = optionsOf(process.env);
    const port = Number(process.env.APP_PORT || 5173);
    const { url } = await servePage(options, port).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') throw new Unready(`APP_PORT ${port} is in use: set another one`);
      if (error.code === 'ERR_SOCKET_BAD_PORT') throw new Unready('APP_PORT must be a number up to 65535');
      throw error;
    });
    console.log(`The page is at ${url}`);
    const refused = await refusal(options, url);
    if (refused !== undefined) console.error(`The page will not work: ${refused}`);
  });
