/** Builds the page and serves it on this machine: `npm start`. */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { buildPage, type Options, optionsOf } from './build.ts';

const TYPES: Record<string, string> = {
  'index.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'settings.json': 'application/json',
};

/** The page runs its own script only, and talks to the service only. */
const policyOf = ({ apiUrl, authProxyUrl = apiUrl }: Options): string =>
  `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; ` +
  `frame-ancestors 'none'; connect-src 'self' ${new URL(apiUrl).origin} ${new URL(authProxyUrl).origin}`;

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

if (import.meta.main) {
  const { url } = await servePage(optionsOf(process.env), Number(process.env.APP_PORT ?? 5173));
  console.log(`The page is at ${url}`);
}
