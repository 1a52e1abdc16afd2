import { createHash } from 'node:crypto';
import type { Read } from './answer.ts';

/** A fixed document. It is made when it is first requested, and kept. */
export type StaticPage = {
  path: string;
  type: string;
  /** In place of the usual ones. */
  headers?: Readonly<Record<string, string>>;
  text(): string;
};

const HEADERS = {
  // Web pages of other origins may read the service's keys.
  'access-control-allow-origin': '*',
  'content-security-policy':
    "default-src 'none'; style-src 'self' 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  // Cached, but revalidated each time, so that an upgrade shows immediately.
  'cache-control': 'no-cache',
};

/** Whether `If-None-Match` names this version. A weak tag, as compressing proxies send, matches too. */
function has(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}

function contents(text: string): { bytes: Buffer; etag: string } {
  const bytes = Buffer.from(text);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

export function readPage({ type, text, headers: own = HEADERS }: StaticPage): Read {
  let made: { bytes: Buffer; etag: string } | undefined;
  return (request, response) => {
    made ??= contents(text());
    const { bytes, etag } = made;
    const headers = { ...own, etag };
    if (has(request.headers['if-none-match'], etag)) response.writeHead(304, headers).end();
    else response.writeHead(200, { ...headers, 'content-type': type, 'content-length': bytes.length }).end(bytes);
  };
}
