import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after } from 'node:test';
import { encryptOauth2ClientSecret } from '@turnkey/crypto';
import { publishedKey } from './published.ts';

const REDIRECT = 'https://client.test/signed-in';

/** The parameters that a signed-in user gives the application. */
export type SignedIn = { authCode: string; codeVerifier: string; redirectUri: string };

export type Providers = {
  url: string;
  hostAndPort: string;
  clientId: string;
  clientSecret: string;
  /** Paths that were asked for, with the method. */
  asked: string[];
  /** The access tokens that were given out. */
  bearers(): string[];
  /** A code for a user whom the provider knows by this id. */
  signIn(id: string): SignedIn;
  /** Answers a path in another way; undefined: as the providers do. */
  answer(path: string, listener: RequestListener | undefined): void;
};

type Code = { id: string; challenge: string; redirectUri: string };

const s256 = (verifier: string) => createHash('sha256').update(verifier).digest('base64url');

/**
 * X and Discord, by the documents of their sign-in endpoints. These are the token endpoint of OAuth 2.0, with PKCE for
 * confidential clients, and the one that names the user. One server has the paths of both, which differ.
 */
function listener(
  client: { clientId: string; clientSecret: string },
  codes: Map<string, Code>,
  tokens: Map<string, string>,
): RequestListener {
  const encoded = (value: string) => encodeURIComponent(value);
  const basic = `Basic ${Buffer.from(`${encoded(client.clientId)}:${encoded(client.clientSecret)}`).toString('base64')}`;

  async function token(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const refuse = (status: number, error: string) =>
      json(response, status, { error, error_description: `${error}: ${form.get('code')} ${client.clientSecret}` });
    if (request.headers.authorization !== basic) return refuse(401, 'invalid_client');
    if (request.headers['content-type'] !== 'application/x-www-form-urlencoded') return refuse(400, 'invalid_request');
    if (form.get('grant_type') !== 'authorization_code') return refuse(400, 'unsupported_grant_type');
    const code = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const isGood = code?.challenge === s256(form.get('code_verifier') ?? '') && code.redirectUri === form.get('redirect_uri');
    if (!isGood) return refuse(400, 'invalid_grant');
    const bearer = randomBytes(24).toString('base64url');
    tokens.set(bearer, code.id);
    json(response, 200, { token_type: 'bearer', expires_in: 7200, access_token: bearer, scope: 'identify' });
  }

  function user(request: IncomingMessage, response: ServerResponse): void {
    const id = tokens.get(request.headers.authorization?.replace(/^Bearer /, '') ?? '');
    if (id === undefined) json(response, 401, { title: 'Unauthorized' });
    else if (request.url === '/2/users/me') json(response, 200, { data: { id, name: 'Somebody', username: 'somebody' } });
    else json(response, 200, { id, username: 'somebody', discriminator: '0', verified: true, email: 'somebody@example.com' });
  }

  return (request, response) => {
    switch (`${request.method} ${request.url}`) {
      case 'POST /2/oauth2/token':
      case 'POST /api/oauth2/token':
        return void token(request, response);
      case 'GET /2/users/me':
      case 'GET /api/users/@me':
        return user(request, response);
      default:
        json(response, 404, {});
    }
  };
}

export function json(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

/** Both providers on localhost, shared by all tests of a file. `env`: settings with which an instance asks them. */
export async function sharedProviders(): Promise<{ providers: Providers; env: Record<string, string> }> {
  const client = { clientId: 'bXktY2xpZW50OjE6Y2k', clientSecret: 'the-secret:of/the+client' };
  const codes = new Map<string, Code>();
  const asked: string[] = [];
  const answers = new Map<string, RequestListener>();
  const tokens = new Map<string, string>();
  const usual = listener(client, codes, tokens);
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    (answers.get(request.url!) ?? usual)(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  after(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const hostAndPort = `localhost:${(server.address() as AddressInfo).port}`;
  const url = `http://${hostAndPort}`;
  const providers: Providers = {
    url,
    hostAndPort,
    ...client,
    asked,
    bearers: () => [...tokens.keys()],
    signIn(id) {
      const [authCode, codeVerifier] = [randomBytes(16), randomBytes(32)].map((bytes) => bytes.toString('base64url'));
      codes.set(authCode!, { id, challenge: s256(codeVerifier!), redirectUri: REDIRECT });
      return { authCode: authCode!, codeVerifier: codeVerifier!, redirectUri: REDIRECT };
    },
    answer(path, other) {
      if (other) answers.set(path, other);
      else answers.delete(path);
    },
  };
  return { providers, env: { OUTBOUND_ALLOW: hostAndPort, OAUTH2_X_URL: url, OAUTH2_DISCORD_URL: url } };
}

/** The secret as a published client encrypts it to the service. */
export const encryptedSecret = async (serviceUrl: string, secret: string): Promise<string> =>
  encryptOauth2ClientSecret(secret, await publishedKey(serviceUrl, 'oauth2-secret-encryption'));
