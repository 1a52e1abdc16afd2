/** Takes webhooks: `npm start`. Each event is verified, stored, answered, and handled after that. */
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { verifyTurnkeyWebhookSignature } from '@turnkey/crypto';
import { described, type Payload } from './events.ts';
import { type Inbox, inboxAt } from './inbox.ts';
import { type Keys, keysOf } from './keys.ts';

const MOST_BYTES = 8 * 1024 * 1024;
const OLDEST_MS = 300_000;
/** The service waits for ten seconds. */
const PATIENCE_MS = 8_000;
/** How long an event rests whose handling failed. Later ones wait, because they may be of the same subject. */
const AGAIN_MS = 10_000;

/** The service tries again after these. After any other refusal it gives the event up. */
const LATER = 503;
const MAY_PASS = new Set(['missing_key', 'stale_timestamp']);

/** The signature covers the bytes as they came: a body that was parsed and written again may differ. Undefined: too large. */
async function rawBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MOST_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type Parts = { keys: Keys; inbox: Inbox; path: string; handle(payload: Payload): Promise<void>; now?: () => number };

export type Receiver = {
  server: Server;
  /** Handles what an earlier process stored. */
  resume(): void;
  /** Resolves when nothing is under way. */
  close(): Promise<void>;
};

export function receiver({ keys, inbox, path, handle, now = Date.now }: Parts): Receiver {
  let isWorking = false;
  let working = Promise.resolve();
  let again: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** One at a time, in the order of arrival. An event whose handling is cut off is handled again: let that do no harm. */
  async function work(): Promise<void> {
    isWorking = true;
    for (let one = inbox.next(); one !== undefined && !isClosed; one = inbox.next()) {
      try {
        await handle(JSON.parse(one.body) as Payload);
        inbox.handled(one.id);
      } catch (error) {
        console.error(`event ${one.id} is handled again later:`, error);
        if (!isClosed) again = setTimeout(resume, AGAIN_MS);
        break;
      }
    }
    isWorking = false;
  }

  function resume(): void {
    clearTimeout(again);
    if (!isWorking) working = work();
  }

  async function statusOf(request: IncomingMessage): Promise<number> {
    if (request.method !== 'POST' || request.url !== path) return 404;
    const body = await rawBody(request);
    if (body === undefined) return 413;
    const keyId = request.headers['x-turnkey-signature-key-id'];
    const verified = verifyTurnkeyWebhookSignature({
      headers: request.headers,
      body,
      verificationKeys: await keys.with(keyId?.toString()),
      maxTimestampAgeMs: OLDEST_MS,
      nowMs: now(),
    });
    if (!verified.ok) return MAY_PASS.has(verified.reason) ? LATER : 401;
    inbox.add(verified.eventId, body);
    return 200;
  }

  const server = createServer({ requestTimeout: PATIENCE_MS, headersTimeout: PATIENCE_MS }, async (request, response) => {
    const status = await statusOf(request).catch((error) => {
      console.error('an event is not taken now:', error);
      return LATER;
    });
    // What was not read of a body is not waited for.
    if (!request.complete) response.setHeader('connection', 'close');
    response.writeHead(status).end();
    if (status === 200) resume();
  });

  return {
    server,
    resume,
    async close() {
      isClosed = true;
      clearTimeout(again);
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
      await working;
    },
  };
}

if (import.meta.main) {
  const { API_URL, INBOX = 'inbox.db', RECEIVER_PORT = '9010', RECEIVER_PATH = '/hooks' } = process.env;
  if (!API_URL) throw new Error('set API_URL to the address of the service, such as https://countersign.example.com');
  const keys = keysOf(API_URL.replace(/\/+$/, ''));
  const inbox = inboxAt(INBOX);
  const handle = async (payload: Payload): Promise<void> => console.log(described(payload));
  const { server, resume, close } = receiver({ keys, inbox, path: RECEIVER_PATH, handle });
  server.listen(Number(RECEIVER_PORT), 'localhost', () =>
    console.log(`Events are taken at port ${RECEIVER_PORT}${RECEIVER_PATH}`),
  );
  resume();
  process.once('SIGTERM', async () => {
    await close();
    inbox.close();
  });
}
