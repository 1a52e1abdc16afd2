import type { FastifyInstance } from 'fastify';

/** A fixed document that the server holds in memory. */
export type Page = { path: string; type: string; text: string };

const HEADERS = {
  // Clients in web pages of other origins read the service's keys.
  'access-control-allow-origin': '*',
  'content-security-policy':
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

export function servePages(app: FastifyInstance, pages: readonly Page[]): void {
  for (const page of pages) app.get(page.path, (_request, reply) => reply.headers(HEADERS).type(page.type).send(page.text));
}
