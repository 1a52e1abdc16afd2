import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as bodyOf } from 'node:stream/consumers';
import { after } from 'node:test';
import { encryptOnRampSecret } from '@turnkey/crypto';
import { decodeProtectedHeader, jwtVerify } from 'jose';
import { json } from './oauth2.ts';
import { publishedKey } from './published.ts';

export const COINBASE = 'FIAT_ON_RAMP_PROVIDER_COINBASE';
export const MOONPAY = 'FIAT_ON_RAMP_PROVIDER_MOONPAY';

export const EVM_ADDRESS = '0xc216eD2D6c295579718dbd4a797845CdA70B3C36';
export const BITCOIN_ADDRESS = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
export const SOLANA_ADDRESS = 'Vote111111111111111111111111111111111111111';

/** Keys at Coinbase, as it gives them out: Ed25519 in base64, and EC in PEM. */
export const coinbaseKeys = (() => {
  const edwards = generateKeyPairSync('ed25519');
  const { d, x } = edwards.privateKey.export({ format: 'jwk' });
  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return {
    edwards: {
      keyId: '3d1b1f2e-0001',
      text: Buffer.concat([Buffer.from(d!, 'base64url'), Buffer.from(x!, 'base64url')]).toString('base64'),
      publicKey: edwards.publicKey,
    },
    ec: {
      keyId: 'organizations/1/apiKeys/2',
      text: ec.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      publicKey: ec.publicKey,
    },
  };
})();

export const moonpayKeys = { apiKey: 'pk_test_of_these_tests', secret: 'sk_test_secret_of_these_tests' };

/** A request for a session token that was accepted. */
export type Session = { token: string; addresses: unknown; assets: unknown; clientIp?: string };

export type OnRamps = {
  url: string;
  hostAndPort: string;
  /** Paths that were asked for, with the method. */
  asked: string[];
  sessions: Session[];
  /** JWTs that were accepted. */
  jwts: string[];
  /** What became of a purchase, newest first: the status words of its provider. */
  purchases: Map<string, readonly object[]>;
  /** Opens a page, as a browser does. Returns what it was opened for, or why it was not. */
  open(url: string): Promise<Record<string, string>>;
  /** The providers' clock: that of the machine, unless a test moves it. */
  now: () => number;
  /** Answers all requests in another way; undefined: as the providers do. */
  answer(listener: RequestListener | undefined): void;
};

/** The proof of the key, as Coinbase documents it. Throws for any other. */
async function checkedJwt(request: IncomingMessage, used: Set<string>, time: number): Promise<string> {
  const jwt = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const { kid, nonce, typ } = decodeProtectedHeader(jwt);
  const key: { publicKey: KeyObject } | undefined = Object.values(coinbaseKeys).find(({ keyId }) => keyId === kid);
  if (key === undefined || typ !== 'JWT' || typeof nonce !== 'string' || !/^[0-9a-f]{32}$/.test(nonce) || used.has(nonce))
    throw new Error('header');
  const currentDate = new Date(time);
  const checks = { issuer: 'cdp', subject: kid!, algorithms: ['EdDSA', 'ES256'], currentDate };
  const { payload } = await jwtVerify(jwt, key.publicKey, checks);
  const path = request.url!.split('?')[0];
  const uri = `${request.method} ${request.headers.host}${path}`;
  if (JSON.stringify(payload.uris) !== JSON.stringify([uri]) || payload.exp! - payload.nbf! > 120) throw new Error('claims');
  used.add(nonce);
  return jwt;
}

const isSigned = (search: string): boolean => {
  const [, signed = '', signature = ''] = /^(.*)&signature=([^&]*)$/.exec(search) ?? [];
  const right = createHmac('sha256', moonpayKeys.secret).update(signed).digest();
  const given = Buffer.from(decodeURIComponent(signature), 'base64');
  return given.length === right.length && timingSafeEqual(given, right);
};

/** The servers answer below this path too. */
const BELOW = /^\/below(?=\/)/;

/** Coinbase and MoonPay by their documents: one server has the paths of both, which differ. */
export async function startOnRamps(): Promise<OnRamps & { close(): Promise<void> }> {
  const asked: string[] = [];
  const sessions: Session[] = [];
  const jwts: string[] = [];
  const nonces = new Set<string>();
  const purchases: OnRamps['purchases'] = new Map();
  const live = new Map<string, Session>();
  let other: RequestListener | undefined;

  async function coinbase(request: IncomingMessage, response: ServerResponse, pathname: string): Promise<void> {
    try {
      jwts.push(await checkedJwt(request, nonces, started.now()));
    } catch {
      return json(response, 401, { code: 16, message: 'unauthorized', details: [] });
    }
    const reference = /^\/onramp\/v1\/buy\/user\/([^/]{1,49})\/transactions$/.exec(pathname)?.[1];
    if (reference !== undefined && request.method === 'GET')
      return json(response, 200, { transactions: purchases.get(reference) ?? [], next_page_key: '', total_count: '0' });
    if (pathname !== '/onramp/v1/token' || request.method !== 'POST') return json(response, 404, {});
    const wished = (await bodyOf(request)) as Omit<Session, 'token'>;
    if (!Array.isArray(wished.addresses)) return json(response, 400, { code: 3, message: 'addresses must be set', details: [] });
    const session = { token: randomBytes(16).toString('base64'), ...wished };
    sessions.push(session);
    live.set(session.token, session);
    json(response, 200, { token: session.token, channel_id: '' });
  }

  const listener: RequestListener = (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (other) return other(request, response);
    const { pathname: whole, search, searchParams } = new URL(request.url!, 'http://localhost');
    const pathname = whole.replace(BELOW, '');
    const token = searchParams.get('sessionToken');
    if (pathname.startsWith('/onramp/')) return void coinbase(request, response, pathname);
    if (pathname.startsWith('/v1/transactions/ext/')) {
      if (searchParams.get('apiKey') !== moonpayKeys.apiKey) return json(response, 401, { message: 'Unauthorized' });
      const found = purchases.get(pathname.split('/').at(-1)!);
      return found
        ? json(response, 200, found)
        : json(response, 404, { type: 'NotFoundError', message: 'Transaction not found' });
    }
    const isOpen = token === null ? isSigned(search) : live.delete(token);
    json(response, isOpen ? 200 : 403, { path: pathname, ...Object.fromEntries(searchParams) });
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hostAndPort = `localhost:${(server.address() as AddressInfo).port}`;
  const started: OnRamps & { close(): Promise<void> } = {
    url: `http://${hostAndPort}`,
    hostAndPort,
    asked,
    sessions,
    jwts,
    purchases,
    now: Date.now,
    async open(url) {
      const response = await fetch(url);
      const shown = (await response.json()) as Record<string, string>;
      if (response.status !== 200) throw new Error(`the page is not opened: ${JSON.stringify(shown)}`);
      return shown;
    },
    answer(given) {
      other = given;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}

/** The settings with which an instance asks these servers in place of the providers. */
export const onRampEnv = (live: OnRamps, sandbox: OnRamps = live): Record<string, string> => ({
  OUTBOUND_ALLOW: [...new Set([live.hostAndPort, sandbox.hostAndPort])].join(','),
  ONRAMP_COINBASE_URL: live.url,
  ONRAMP_MOONPAY_URL: live.url,
  ONRAMP_COINBASE_SANDBOX_URL: sandbox.url,
  ONRAMP_MOONPAY_SANDBOX_URL: sandbox.url,
});

/** Both providers on localhost, shared by all tests of a file. */
export async function sharedOnRamps(): Promise<OnRamps> {
  const started = await startOnRamps();
  after(() => started.close());
  return started;
}

/** A secret as a published client encrypts it to the service. */
export const encryptedFor = async (serviceUrl: string, secret: string): Promise<string> =>
  encryptOnRampSecret(secret, await publishedKey(serviceUrl, 'on-ramp-secret-encryption'));

/** Parameters of a credential with these keys. */
export async function moonpayCredential(serviceUrl: string, secret = moonpayKeys.secret) {
  return {
    onrampProvider: MOONPAY,
    publishableApiKey: moonpayKeys.apiKey,
    encryptedSecretApiKey: await encryptedFor(serviceUrl, secret),
  };
}

export async function coinbaseCredential(serviceUrl: string, key: { keyId: string; text: string } = coinbaseKeys.edwards) {
  return {
    onrampProvider: COINBASE,
    projectId: 'project-1',
    publishableApiKey: key.keyId,
    encryptedSecretApiKey: await encryptedFor(serviceUrl, 'unused'),
    encryptedPrivateApiKey: await encryptedFor(serviceUrl, key.text),
  };
}

/** Parameters of a purchase. */
export const buying = (onrampProvider: string, more: object = {}) => ({
  onrampProvider,
  walletAddress: EVM_ADDRESS,
  network: 'FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BASE',
  cryptoCurrencyCode: 'FIAT_ON_RAMP_CRYPTO_CURRENCY_USDC',
  ...more,
});
