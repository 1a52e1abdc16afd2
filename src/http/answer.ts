import type { FastifyReply } from 'fastify';

/** Bytes of the header that names ignored members. */
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

const EXPOSED_HEADERS = ['X-Request-Id', 'Retry-After', 'X-Ignored-Fields'].join(', ');

/** Of the answer to a browser's preflight request. */
export const PREFLIGHT_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': ALLOWED_HEADERS,
  'access-control-max-age': '86400',
};

export const answerHeaders = (requestId: string): Record<string, string> => ({
  'content-type': 'application/json',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': EXPOSED_HEADERS,
  'cache-control': 'no-store',
  'x-request-id': requestId,
});

/** Paths of ignored members, percent-encoded, as many as fit. */
export function ignoredFields(paths: readonly string[]): string {
  let text = '';
  for (const path of paths) {
    const more = `${text === '' ? '' : ', '}${encodeURIComponent(path)}`;
    if (text.length + more.length <= LONGEST_IGNORED) text += more;
  }
  return text;
}

export function send(reply: FastifyReply, requestId: string, status: number, body: string): FastifyReply {
  if (status === 503) reply.header('retry-after', '1');
  return reply.code(status).headers(answerHeaders(requestId)).send(Buffer.from(body));
}

export const pathOf = (url: string): string => url.split('?', 1)[0]!;
