import { createECDH, createPrivateKey, sign } from 'node:crypto';
import { submitPathOf } from '../../src/model/interface-names.ts';
import { checkDocumented } from './documented.ts';
import { isFull } from './full.ts';

/** A P-256 API key: both halves in hex. */
export type Keys = { publicKey: string; privateKey: string };

export function newKeys(): Keys {
  const ecdh = createECDH('prime256v1');
  ecdh.generateKeys();
  return { publicKey: ecdh.getPublicKey('hex', 'compressed'), privateKey: ecdh.getPrivateKey('hex').padStart(64, '0') };
}

export function stampOf(keys: Keys, body: string): string {
  const ecdh = createECDH('prime256v1');
  ecdh.setPrivateKey(keys.privateKey, 'hex');
  const point = ecdh.getPublicKey();
  const part = (from: number) => point.subarray(from, from + 32).toString('base64url');
  const d = Buffer.from(keys.privateKey, 'hex').toString('base64url');
  const key = createPrivateKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: part(1), y: part(33), d } });
  const signature = sign('sha256', Buffer.from(body), key).toString('hex');
  return Buffer.from(JSON.stringify({ publicKey: keys.publicKey, scheme: 'SIGNATURE_SCHEME_TK_API_P256', signature })).toString(
    'base64url',
  );
}

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely by tests
export type Answer = { status: number; headers: Headers; body: any; text: string };

export async function post(url: string, body: string | Uint8Array, headers: Record<string, string> = {}): Promise<Answer> {
  const response = await fetch(url, { method: 'POST', body: body as string, headers });
  const text = await response.text();
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    parsed = undefined;
  }
  if (isFull && parsed !== undefined && typeof body === 'string')
    checkDocumented(new URL(url).pathname, body, response.status, parsed);
  return { status: response.status, headers: response.headers, body: parsed, text };
}

let last = 0;

/** Milliseconds that never repeat, so that no two bodies of a test are the same by accident. */
export function freshTimestamp(now: number = Date.now()): string {
  last = Math.max(last + 1, now);
  return String(last);
}

export type Client = {
  url: string;
  keys: Keys;
  organizationId: string;
  /** `type` without ACTIVITY_TYPE_, such as CREATE_USERS_V4; the path follows from it. */
  submit(type: string, parameters: unknown, options?: { organizationId?: string; timestampMs?: string }): Promise<Answer>;
  /** The body of a submit, for sending it more than once. */
  bodyOf(type: string, parameters: unknown, options?: { organizationId?: string; timestampMs?: string }): string;
  send(path: string, body: string): Promise<Answer>;
  query(name: string, parameters?: object): Promise<Answer>;
  /** The same service and organization by another key. */
  as(keys: Keys, organizationId?: string): Client;
  /** The same through a proxy that gives this client address. */
  from(address: string): Client;
};

export const submitPath = (type: string): string => submitPathOf(type.replace(/_V\d+$/, ''));

export function clientOf(
  url: string,
  keys: Keys,
  organizationId: string,
  now: () => number = Date.now,
  headers: Record<string, string> = {},
): Client {
  const send = (path: string, body: string) => post(`${url}${path}`, body, { ...headers, 'x-stamp': stampOf(keys, body) });
  const bodyOf: Client['bodyOf'] = (type, parameters, options = {}) =>
    JSON.stringify({
      type: `ACTIVITY_TYPE_${type}`,
      timestampMs: options.timestampMs ?? freshTimestamp(now()),
      organizationId: options.organizationId ?? organizationId,
      parameters,
    });
  return {
    url,
    keys,
    organizationId,
    bodyOf,
    send,
    submit: (type, parameters, options) => send(submitPath(type), bodyOf(type, parameters, options)),
    query: (name, parameters = {}) => send(`/public/v1/query/${name}`, JSON.stringify({ organizationId, ...parameters })),
    as: (other, id = organizationId) => clientOf(url, other, id, now, headers),
    from: (address) => clientOf(url, keys, organizationId, now, { 'x-forwarded-for': address }),
  };
}

/** Sends the same body again while the service is busy, as its answer advises. */
export async function submitUntilAnswered(client: Client, type: string, parameters: unknown): Promise<Answer> {
  const body = client.bodyOf(type, parameters);
  for (let left = 100; ; left--) {
    const answer = await client.send(submitPath(type), body);
    if (answer.status !== 503 || left === 0) return answer;
  }
}

export const ethereumAccount = (index = 0) =>
  ({
    curve: 'CURVE_SECP256K1',
    pathFormat: 'PATH_FORMAT_BIP32',
    path: `m/44'/60'/0'/0/${index}`,
    addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
  }) as const;

export const apiKey = (keys: Keys, more: object = {}) => ({
  apiKeyName: `key ${keys.publicKey.slice(2, 10)}`,
  publicKey: keys.publicKey,
  curveType: 'API_KEY_CURVE_P256',
  ...more,
});

/** The entry of earlier versions, which name no curve. */
export function p256Key(keys: Keys): { apiKeyName: string; publicKey: string } {
  const { curveType: _, ...key } = apiKey(keys);
  return key;
}

export const userWith = (name: string, keys: readonly Keys[], more: object = {}) => ({
  userName: name,
  apiKeys: keys.map((k) => apiKey(k)),
  authenticators: [],
  oauthProviders: [],
  ...more,
});

/** The result of a submit that must have completed. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export function resultOf(answer: Answer, key: string): any {
  if (answer.status !== 200 || answer.body?.activity?.status !== 'ACTIVITY_STATUS_COMPLETED')
    throw new Error(`not completed: ${answer.status} ${answer.text}`);
  return answer.body.activity.result[key];
}
