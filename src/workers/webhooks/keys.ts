import type { Clock } from '../../base/clock.ts';
import type { WebhookVault } from '../../custody/types.ts';
import { DAY } from '../../domain/webhooks/attempts.ts';
import type { WebhookKey } from '../../model/webhook-delivery.ts';
import type { Store, Writer } from '../../store/types.ts';

/** How long a replaced key stays published, for receivers that get a delivery late. */
export const KEPT_MS = 7 * DAY;
/** How long a new key is only published, before it signs. Longer than caches keep the list, and processes their copy. */
export const READY_AFTER_MS = 600_000;
/** How long a process uses the keys that it read. */
const FRESH_MS = 60_000;
const PUBLISHED_MS = 1_000;

export type WebhookKeys = {
  /** The key that signs now. */
  current(): Promise<WebhookKey>;
  /** The public keys, as a JSON Web Key Set. */
  published(): Promise<string>;
  /** They are read again. */
  forget(): void;
};

type Parts = { store: Store; vault: WebhookVault; clock: Clock };

/** The newest key that was published for long enough. The first key of a database signs immediately. */
export function signingKey(keys: readonly WebhookKey[], now: number): WebhookKey | undefined {
  const byAge = keys.toSorted((a, b) => a.createdAt - b.createdAt);
  return byAge.findLast(({ createdAt }) => createdAt <= now - READY_AFTER_MS) ?? byAge[0];
}

const isPublished = ({ replacedAt }: WebhookKey, now: number): boolean => replacedAt === null || replacedAt > now - KEPT_MS;

export function jwks(keys: readonly WebhookKey[], now: number): string {
  const shown = keys
    .filter((key) => isPublished(key, now))
    .map(({ kid, publicKey }) => ({
      kid,
      kty: 'OKP',
      crv: 'Ed25519',
      alg: 'EdDSA',
      use: 'sig',
      x: publicKey.toString('base64url'),
      turnkey_signature_algorithm: 'ed25519',
      turnkey_signature_version: 'v1',
    }));
  return JSON.stringify({ keys: shown });
}

/** Adds the current key. Must run under the store's exclusive lock. */
export async function addKey(tx: Writer, vault: WebhookVault, now: number): Promise<WebhookKey> {
  const { kid, publicKey, sealed } = vault.newWebhookKey();
  const key = { kid, publicKey: Buffer.from(publicKey, 'hex'), sealed, createdAt: now, replacedAt: null };
  await tx.webhookKeys.add(key);
  return key;
}

export function webhookKeys({ store, vault, clock }: Parts): WebhookKeys {
  let read: { at: number; keys: Promise<WebhookKey[]> } | undefined;

  /** The first key of a database is made when it is first needed, once for all its processes. */
  async function all(): Promise<WebhookKey[]> {
    const found = await store.read.webhookKeys.list();
    if (found.length > 0) return found;
    return store.exclusively(async (tx) => {
      const there = await tx.webhookKeys.list();
      return there.length > 0 ? there : [await addKey(tx, vault, clock.now())];
    });
  }

  function within(ms: number): Promise<WebhookKey[]> {
    const now = clock.now();
    if (read === undefined || now - read.at >= ms) {
      const asked = { at: now, keys: all() };
      read = asked;
      asked.keys.catch(() => {
        if (read === asked) read = undefined;
      });
    }
    return read.keys;
  }

  return {
    current: async () => signingKey(await within(FRESH_MS), clock.now())!,
    forget() {
      read = undefined;
    },
    published: async () => jwks(await within(PUBLISHED_MS), clock.now()),
  };
}
