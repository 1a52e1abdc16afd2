import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Read } from './answer.ts';

/** A fixed document. It is made when it is first requested, and kept. */
export type StaticPage = {
  path: string;
  type: string;
  /** In place of the usual ones. */
  headers?: Readonly<Record<string, string>>;
  text(): string;
};

const pack = promisify(gzip);

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
export function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}

/** Smaller texts fit in one packet anyway. */
const WORTH_PACKING = 1400;

const QUALITY = /^\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*$/i;

/** Whether a client takes an encoding: `Accept-Encoding` names it, and not with the quality 0. */
export const takes = (header: string | undefined, encoding: 'gzip' | 'br'): boolean =>
  header?.split(',').some((one) => {
    const [name = '', quality, ...more] = one.split(';');
    return name.trim().toLowerCase() === encoding && more.length === 0 && (quality === undefined || QUALITY.test(quality));
  }) ?? false;

export type Contents = { bytes: Buffer; etag: string };

export const contents = (bytes: Buffer): Contents => ({
  bytes,
  etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`,
});

/** Both forms are made when they are first requested, the packed one in another thread. No page has a secret, so its length tells none. */
export function readPage({ type, text, headers: own = HEADERS }: StaticPage): Read {
  let plain: Contents | undefined;
  let packed: Promise<Contents> | undefined;
  return async (request, response) => {
    plain ??= contents(Buffer.from(text()));
    const zips = plain.bytes.length >= WORTH_PACKING && takes(request.headers['accept-encoding'], 'gzip');
    if (zips) packed ??= pack(plain.bytes, { level: 9 }).then(contents);
    const { bytes, etag } = zips ? await packed! : plain;
    const headers = { ...own, etag, vary: 'Accept-Encoding', ...(zips && { 'content-encoding': 'gzip' }) };
    if (isKnown(request.headers['if-none-match'], etag)) response.writeHead(304, headers).end();
    else response.writeHead(200, { ...headers, 'content-type': type, 'content-length': bytes.length }).end(bytes);
  };
}
