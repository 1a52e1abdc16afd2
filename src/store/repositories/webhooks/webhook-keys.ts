import type { WebhookKey } from '../../../model/webhook-delivery.ts';
import { type Conn, statement } from '../../statement.ts';
import { values } from '../../table.ts';
import { webhookKeys } from '../../tables/webhook-keys.ts';

const all = statement((db) => db.selectFrom('webhook_keys').select(webhookKeys.all).orderBy('kid'));
const insert = statement((db, p: WebhookKey) => db.insertInto('webhook_keys').values(values(webhookKeys, p)));
const replace = statement((db, p: { now: number }) =>
  db.updateTable('webhook_keys').set({ replaced_at: p.now }).where('replaced_at', 'is', null),
);
const sweep = statement((db, p: { before: number }) => db.deleteFrom('webhook_keys').where('replaced_at', '<', p.before));

export const webhookKeyReads = (conn: Conn) => ({
  /** All keys: the current one and replaced ones. */
  async list(): Promise<WebhookKey[]> {
    return all.all(conn, {});
  },
  async current(): Promise<WebhookKey | undefined> {
    return (await all.all(conn, {})).find(({ replacedAt }) => replacedAt === null);
  },
});

/** Call these under the store's exclusive lock: two processes may begin to sign at the same time. */
export const webhookKeyWrites = (conn: Conn) => ({
  /** Adds the current key. The one before it is replaced from now on. */
  async add(key: Omit<WebhookKey, 'replacedAt'>): Promise<void> {
    await replace.run(conn, { now: key.createdAt });
    await insert.run(conn, { ...key, replacedAt: null });
  },
  /** Removes keys that were replaced before a time. */
  async sweep(before: number): Promise<void> {
    await sweep.run(conn, { before });
  },
});
