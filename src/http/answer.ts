import type { IncomingMessage, ServerResponse } from 'node:http';

/** The most bytes of the header that names ignored members. */
const LONGEST_IGNORED = 1024;

const ALLOWED_HEADERS = [
  'Content-Type',
  'X-Stamp',
  'X-Stamp-Webauthn',
  'X-Stamp-Attested',
  'X-Client-Version',
  'X-Session',
  'X-Auth-Proxy-Config-ID',
  'X-Captcha-Token',
].join(', ');

const EXPOSED_HEADERS = ['X-Request-Id', 'Retry-After', 'X-Ignored-Fields', 'X-Warnings', 'Date'].join(', ');

/** The headers of the answer to a browser's preflight request. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': ALLOWED_HEADERS,
  'access-control-max-age': '86400',
};

/** Names and values in turn: the form that Node.js writes fastest. */
export type HeaderList = readonly string[];

const NO_HEADERS: HeaderList = [];

/** The client may send more of a request that is already answered, so its connection ends. */
export const CLOSE: HeaderList = ['connection', 'close'];

/** Paths of ignored members, percent-encoded, as many as fit. */
export function ignoredFields(paths: readonly string[]): string {
  let text = '';
  for (const path of paths) {
    const more = `${text === '' ? '' : ', '}${encodeURIComponent(path)}`;
    if (text.length + more.length <= LONGEST_IGNORED) text += more;
  }
  return text;
}

/** Answers a GET. For a HEAD, Node.js leaves the body out. */
export type Read = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/** `retryAfter`: in seconds. */
export type Answer = { requestId: string; status: number; body: string; retryAfter?: number | undefined };

/** Pages that may read an answer: those of one origin, of any, or none. */
export type ReadableBy = string | null;

export const ANY_ORIGIN = '*';

/** The headers of every answer with JSON. */
export function answerHeaders(requestId: string, more = NO_HEADERS, readableBy: ReadableBy = ANY_ORIGIN): string[] {
  const headers = [
    ...more,
    'content-type',
    'application/json',
    'access-control-allow-origin',
    readableBy ?? '',
    'access-control-expose-headers',
    EXPOSED_HEADERS,
    'cache-control',
    'no-store',
    'x-request-id',
    requestId,
  ];
  if (readableBy === null) headers.splice(headers.indexOf('access-control-allow-origin'), 2);
  return headers;
}

/** Answers with JSON. Head and body are one write, because the body is text. */
export function send(
  response: ServerResponse,
  { requestId, status, body, retryAfter }: Answer,
  more = NO_HEADERS,
  readableBy?: ReadableBy,
): void {
  const length = Buffer.byteLength(body);
  const headers = answerHeaders(requestId, more, readableBy);
  headers.push('content-length', String(length));
  if (retryAfter !== undefined) headers.unshift('retry-after', String(retryAfter));
  else if (status === 503) headers.unshift('retry-after', '1');
  response.writeHead(status, headers);
  // Text of ASCII characters is faster to write as Latin-1.
  response.end(body, length === body.length ? 'latin1' : 'utf8');
}

export function pathOf(url: string): string {
  const query = url.indexOf('?');
  return query < 0 ? url : url.slice(0, query);
}
