import { createHash, createPrivateKey, randomBytes, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after } from 'node:test';
import { exportJWK, generateKeyPair, type JWK } from 'jose';

/** The used part of `oidc-provider`, which has no types. */
type Provider = {
  callback(): RequestListener;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<{ prompt: { name: string } }>;
  interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>;
  on(event: string, listener: (...args: unknown[]) => void): void;
};
type Grant = { addOIDCScope(scope: string): void; save(): Promise<string> };

const CLIENT = 'client';
const REDIRECT = 'https://client.test/signed-in';

/** A page without a server: it gets an ID token at once. The port of its address does not count, since that is localhost. */
const PAGE = {
  client_id: 'page',
  application_type: 'native',
  redirect_uris: ['http://localhost/console/signed-in'],
  grant_types: ['implicit'],
  response_types: ['id_token'],
  token_endpoint_auth_method: 'none',
  id_token_signed_response_alg: 'ES256',
};

export type Issuer = {
  /** Its `iss`. */
  url: string;
  /** For OUTBOUND_ALLOW. */
  hostAndPort: string;
  /** The `aud` of its tokens. */
  clientId: string;
  /** Paths that were asked for. */
  asked: string[];
  /** The account that is signed in at the provider from now on, as a browser finds it. */
  be(subject: string): void;
  /** An ID token by the authorization code flow, as a client gets it. */
  signIn(subject: string, more?: { nonce?: string; clientId?: string }): Promise<string>;
  /** A token with any claims, signed with the issuer's own key. `undefined` leaves a claim out. */
  sign(claims?: object, header?: object): Promise<string>;
  signNow(claims?: object, header?: object): string;
  /** The private key, as the issuer has it. */
  key(): JWK;
  /** New keys in place of the old ones. */
  rotate(): Promise<void>;
  /** Answers a path in another way; undefined: as the provider does. */
  answer(path: string, listener: RequestListener | undefined): void;
  close(): Promise<void>;
};

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomBytes(8).toString('hex'), alg: 'ES256', use: 'sig' };
}

async function provider(url: string, key: JWK): Promise<Provider> {
  const { default: Made } = (await import('oidc-provider' as string)) as {
    default: new (issuer: string, options: object) => Provider;
  };
  const client = (id: string) => ({
    client_id: id,
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    id_token_signed_response_alg: 'ES256',
  });
  return new Made(url, {
    clients: [client(CLIENT), client('other-client'), PAGE],
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(16).toString('hex')] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: () => '/interaction' },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    // Consent is given to every client immediately.
    async loadExistingGrant(ctx: { oidc: Record<string, never> }) {
      const oidc = ctx.oidc as unknown as {
        provider: { Grant: new (of: object) => Grant };
        client: { clientId: string };
        session: { accountId: string };
      };
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId });
      grant.addOIDCScope('openid');
      await grant.save();
      return grant;
    },
  });
}

/** Follows redirects as a browser does, with its cookies, until the client's own address. */
async function browse(start: string): Promise<URL> {
  const cookies = new Map<string, string>();
  for (let url = new URL(start), hop = 0; hop < 10; hop++) {
    if (url.href.startsWith(REDIRECT)) return url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const set of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(set)!;
      cookies.set(name!, value!);
    }
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`);
    url = new URL(location, url);
  }
  throw new Error('too many redirects');
}

/** A real OpenID provider on localhost, over http. */
export async function startIssuer(): Promise<Issuer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const hostAndPort = `localhost:${(server.address() as AddressInfo).port}`;
  const url = `http://${hostAndPort}`;
  const asked: string[] = [];
  const answers = new Map<string, RequestListener>();
  let key = await newKey();
  let current = await provider(url, key);
  let subject = '';
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url!.split('?')[0]!;
    asked.push(path);
    const other = answers.get(path);
    if (other) other(request, response);
    else if (path === '/interaction')
      void current.interactionFinished(request, response, { login: { accountId: subject }, consent: {} });
    else current.callback()(request, response);
  });
  const signNow: Issuer['signNow'] = (claims = {}, header = {}) => {
    const now = Math.floor(Date.now() / 1000);
    const all = { iss: url, aud: CLIENT, sub: 'somebody', iat: now, exp: now + 3600, ...claims };
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'ES256', kid: key.kid!, typ: 'JWT', ...header })}.${part(all)}`;
    const privateKey = createPrivateKey({ key: key as never, format: 'jwk' });
    const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  };
  return {
    url,
    hostAndPort,
    clientId: CLIENT,
    asked,
    async signIn(who, { nonce, clientId = CLIENT } = {}) {
      subject = who;
      const verifier = randomBytes(32).toString('base64url');
      const query = new URLSearchParams({
        client_id: clientId,
        redirect_uri: REDIRECT,
        response_type: 'code',
        scope: 'openid',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        ...(nonce === undefined ? {} : { nonce }),
      });
      const back = await browse(`${url}/auth?${query}`);
      const code = back.searchParams.get('code');
      if (code === null) throw new Error(`no code: ${back}`);
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: REDIRECT,
        code,
        code_verifier: verifier,
      });
      const answer = (await (await fetch(`${url}/token`, { method: 'POST', body })).json()) as { id_token?: string };
      if (answer.id_token === undefined) throw new Error(`no token: ${JSON.stringify(answer)}`);
      return answer.id_token;
    },
    be(who) {
      subject = who;
    },
    signNow,
    sign: async (claims, header) => signNow(claims, header),
    key: () => key,
    async rotate() {
      key = await newKey();
      current = await provider(url, key);
    },
    answer(path, listener) {
      if (listener) answers.set(path, listener);
      else answers.delete(path);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** An issuer that all tests of a file share. `env`: settings with which an instance asks it. */
export async function sharedIssuer(): Promise<{ issuer: Issuer; env: { OUTBOUND_ALLOW: string } }> {
  const issuer = await startIssuer();
  after(() => issuer.close());
  return { issuer, env: { OUTBOUND_ALLOW: issuer.hostAndPort } };
}
