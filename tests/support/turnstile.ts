import { randomBytes } from 'node:crypto';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';

export const SITE_KEY = '0x4AAAAAAAsite';
const SECRET_KEY = '0x4AAAAAAAsecret';

export type Turnstile = {
  url: string;
  /** Settings with which an instance asks it. */
  env: Record<string, string>;
  /** The requests, without the secret. */
  asked: { response: string; remoteip: string | null; idempotency_key: string | null }[];
  /** A token, as the widget on a page makes it. */
  token(more?: { hostname?: string; action?: string }): string;
  /** Answers in another way; undefined: as Turnstile documents. */
  answer(listener: RequestListener | undefined): void;
};

type Made = { hostname: string; action: string; usedUnder?: string | undefined };

/** Turnstile's siteverify as it is documented: a token counts once, and again under the same idempotency key. */
export async function sharedTurnstile(): Promise<Turnstile> {
  const tokens = new Map<string, Made>();
  const asked: Turnstile['asked'] = [];
  let other: RequestListener | undefined;

  const verdict = (form: URLSearchParams): object => {
    const [response, key] = [form.get('response') ?? '', form.get('idempotency_key')];
    asked.push({ response, remoteip: form.get('remoteip'), idempotency_key: key });
    const refused = (code: string) => ({ success: false, 'error-codes': [code], messages: [] });
    if (form.get('secret') !== SECRET_KEY) return refused('invalid-input-secret');
    const made = tokens.get(response);
    if (made === undefined) return refused('invalid-input-response');
    if (made.usedUnder !== undefined && made.usedUnder !== key) return refused('timeout-or-duplicate');
    made.usedUnder = key ?? '';
    const { hostname, action } = made;
    return { success: true, challenge_ts: '2026-01-01T00:00:00.000Z', hostname, 'error-codes': [], action, cdata: '' };
  };
  const usual: RequestListener = async (request, response) => {
    const isRight = request.method === 'POST' && request.url === '/turnstile/v0/siteverify';
    response.writeHead(isRight ? 200 : 404, { 'content-type': 'application/json' });
    response.end(isRight ? JSON.stringify(verdict(new URLSearchParams(await text(request)))) : '{}');
  };
  const server = createServer((request, response) => (other ?? usual)(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const hostAndPort = `localhost:${(server.address() as AddressInfo).port}`;
  const url = `http://${hostAndPort}`;
  return {
    url,
    env: {
      OUTBOUND_ALLOW: hostAndPort,
      TURNSTILE_SITE_KEY: SITE_KEY,
      TURNSTILE_SECRET_KEY: SECRET_KEY,
      TURNSTILE_URL: url,
    },
    asked,
    token({ hostname = 'app.example.com', action = 'sign-in' } = {}) {
      const token = randomBytes(32).toString('base64url');
      tokens.set(token, { hostname, action });
      return token;
    },
    answer(listener) {
      other = listener;
    },
  };
}
