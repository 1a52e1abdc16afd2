import type { Read } from './answer.ts';

export const WEBHOOK_KEYS_PATH = '/public/v1/discovery/webhooks/jwks';

const HEADERS = {
  'content-type': 'application/json',
  // Web pages of other origins may read the keys.
  'access-control-allow-origin': '*',
  'x-content-type-options': 'nosniff',
  // A new key is published for longer than this before it signs.
  'cache-control': 'public, max-age=300',
};

/** The keys with which receivers verify webhooks. Keys change while the service runs. */
export const webhookKeysRead =
  (keys: () => Promise<string>): Read =>
  async (_, response) => {
    const bytes = Buffer.from(await keys());
    response.writeHead(200, { ...HEADERS, 'content-length': bytes.length }).end(bytes);
  };
