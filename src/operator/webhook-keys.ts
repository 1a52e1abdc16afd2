import { openEnvelope } from '../app/root-key.ts';
import { systemRandom } from '../base/random.ts';
import type { Config } from '../config.ts';
import { webhookSigning } from '../custody/webhook-keys.ts';
import type { Reader } from '../store/types.ts';
import { addKey, KEPT_MS, READY_AFTER_MS } from '../workers/webhooks/keys.ts';
import { withReader, withStore } from './offline-store.ts';

/** `kid`: the new key; null in a dry run. `before`: the key that it replaces, if there is one. */
export type Rotation = { kid: string | null; signsFrom: string; before: string | null; publishedUntil: string; changed: boolean };

const UNDONE = 'the key was not replaced';

async function currentOf(read: Reader, now: number) {
  const { reached } = await read.clock.get();
  return { at: Math.max(now, reached), before: (await read.webhookKeys.current())?.kid ?? null };
}

const rotation = (kid: string | null, { at, before }: { at: number; before: string | null }): Rotation => ({
  kid,
  before,
  signsFrom: new Date(before === null ? at : at + READY_AFTER_MS).toISOString(),
  publishedUntil: new Date(at + KEPT_MS).toISOString(),
  changed: kid !== null,
});

/** Replaces the key that signs webhooks. On SQLite no service may run. Running services on PostgreSQL follow. */
export function rotateWebhookKey(config: Config, now: number, dryRun: boolean): Promise<Rotation> {
  if (dryRun) return withReader(config, UNDONE, async (read) => rotation(null, await currentOf(read, now)));
  return withStore(config, UNDONE, async (store) => {
    const vault = webhookSigning(await openEnvelope(config, store.read, systemRandom), systemRandom);
    return store.exclusively(async (tx) => {
      const current = await currentOf(tx, now);
      return rotation((await addKey(tx, vault, current.at)).kid, current);
    });
  });
}
