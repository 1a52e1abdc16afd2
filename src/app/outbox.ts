import { NotDone } from '../base/not-done.ts';
import type { Config } from '../config.ts';
import type { ListedMessage, Store } from '../store/types.ts';
import { withStore } from './offline-store.ts';

const AT_ONCE = 500;

/** A message without what it says. Times are in UTC. */
export type ShownMessage = {
  messageId: string;
  topic: string;
  state: string;
  organizationId: string;
  activityId: string;
  attempts: number;
  createdAt: string;
  /** When its contents are of no use any more. Null: never, or they are gone. */
  expiresAt: string | null;
  lastError: string;
};

const timeOf = (ms: number): string => new Date(ms).toISOString();

const shown = ({
  id,
  topic,
  state,
  organizationId,
  activityId,
  attempts,
  createdAt,
  expiresAt,
  lastError,
}: ListedMessage): ShownMessage => ({
  messageId: id,
  topic,
  state,
  organizationId,
  activityId,
  attempts,
  createdAt: timeOf(createdAt),
  expiresAt: expiresAt === null || state === 'expired' ? null : timeOf(expiresAt),
  lastError,
});

export type OutboxState = 'dead' | 'ready' | 'expired';

export function listOutbox(
  config: Config,
  { state, limit, after }: { state: OutboxState; limit: number; after: string | undefined },
): Promise<ShownMessage[]> {
  return withStore(config, 'the messages were not listed', async ({ read }: Store) =>
    (await read.outbox.page(state, limit, after)).map(shown),
  );
}

/** Makes dead messages ready again: one, or all. Those whose time is over are left out. */
export function retryOutbox(
  config: Config,
  now: number,
  { id, dryRun }: { id: string | undefined; dryRun: boolean },
): Promise<{ messages: ShownMessage[]; changed: boolean }> {
  return withStore(config, 'nothing is sent again', async (store) => {
    const { reached } = await store.read.clock.get();
    const time = Math.max(now, reached);
    const lasts = ({ expiresAt }: ListedMessage) => expiresAt === null || expiresAt > time;
    const again: ListedMessage[] = [];
    const retry = async (messages: readonly ListedMessage[]): Promise<void> => {
      again.push(...messages);
      // Due at once, whatever clock wrote it.
      if (!dryRun)
        await store.transaction(async (tx) => void (await Promise.all(messages.map((one) => tx.outbox.retry(one.id, 0)))));
    };
    if (id !== undefined) {
      const found = await store.read.outbox.get(id);
      if (found === undefined) throw new NotDone(`there is no message ${id}: it may have been sent`);
      if (found.state !== 'dead' || !lasts(found))
        throw new NotDone(`message ${id} is ${found.state === 'dead' ? 'expired' : found.state}: only a dead one is sent again`);
      await retry([found]);
    }
    for (let after: string | undefined, more = id === undefined; more; ) {
      const page = await store.read.outbox.page('dead', AT_ONCE, after);
      await retry(page.filter(lasts));
      after = page.at(-1)?.id;
      more = page.length === AT_ONCE;
    }
    return { messages: again.map(shown), changed: !dryRun && again.length > 0 };
  });
}
