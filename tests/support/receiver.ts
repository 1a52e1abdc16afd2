import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { verifyTurnkeyWebhookSignature } from '@turnkey/crypto';

export type Received = { path: string; eventId: string; body: string; headers: IncomingHttpHeaders; status: number };

/** Answers a request whose body was read. It may leave the request without an answer. */
export type Behaviour = (response: ServerResponse, received: Received) => void;

export const answers =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (response) =>
    void response.writeHead(status, headers).end(`answered ${status}`);

/** A real receiver of webhooks. Each path has its own behaviour, and takes everything by default. */
export async function startReceiver() {
  const received: Received[] = [];
  const behaviours = new Map<string, Behaviour>();
  const server = createServer(async (request, response) => {
    // A sender may go away in the middle of its body.
    const body = await buffer(request).catch(() => undefined);
    if (body === undefined) return;
    const { url = '/', headers } = request;
    const one: Received = {
      path: url,
      eventId: String(headers['x-turnkey-event-id']),
      body: body.toString(),
      headers,
      status: 0,
    };
    received.push(one);
    response.on('finish', () => {
      one.status = response.statusCode;
    });
    (behaviours.get(url) ?? answers(200))(response, one);
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    received,
    at: (path: string) => received.filter((one) => one.path === path),
    taken: (path: string) => received.filter((one) => one.path === path && one.status === 200),
    behave: (path: string, behaviour: Behaviour) => void behaviours.set(path, behaviour),
    async down() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
    up: () => listen(port),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

type Jwk = { kid: string; x: string };

export async function webhookKeysOf(url: string): Promise<Jwk[]> {
  const response = await fetch(`${url}/public/v1/discovery/webhooks/jwks`);
  return ((await response.json()) as { keys: Jwk[] }).keys;
}

/** What the published verifier says, with the service's keys. */
export function verified({ headers, body }: Received, keys: readonly Jwk[], nowMs: number) {
  return verifyTurnkeyWebhookSignature({
    headers: headers as Record<string, string>,
    body,
    verificationKeys: keys.map(({ kid, x }) => ({
      keyId: kid,
      publicKey: Buffer.from(x, 'base64url').toString('hex'),
      algorithm: 'ed25519' as const,
    })),
    maxTimestampAgeMs: 300_000,
    nowMs,
  });
}
