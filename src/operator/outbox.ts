import { CommandFailed } from '../base/command-failed.ts';
import type { Config } from '../config.ts';
import type { ListedMessage, Reader, Store } from '../store/types.ts';
import { withReader, withStore } from './offline-store.ts';

const AT_ONCE = 500;

/** A message without its contents. Times are in UTC. */
export type ShownMessage = {
  messageId: string;
  topic: string;
  state: string;
  organizationId: string;
  activityId: string;
  attempts: number;
  createdAt: string;
  /** When its contents expire. Null: never, or they are gone. */
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
  return withReader(config, 'the messages were not listed', async ({ outbox }) =>
    (await outbox.page(state, limit, after)).map(shown),
  );
}

const UNDONE = 'nothing is sent again';

const retry = (store: Store, messages: readonly ListedMessage[]): Promise<void> =>
  // Due immediately, whatever clock wrote it.
  store.transaction(async (tx) => void (await Promise.all(messages.map((one) => tx.outbox.retry(one.id, 0)))));

/** Dead messages that have not expired, page by page: one, or all. */
async function* deadOnes(read: Reader, now: number, id: string | undefined): AsyncGenerator<ListedMessage[]> {
  const time = Math.max(now, (await read.clock.get()).reached);
  const lasts = ({ expiresAt }: ListedMessage) => expiresAt === null || expiresAt > time;
  if (id !== undefined) {
    const found = await read.outbox.get(id);
    if (found === undefined) throw new CommandFailed(`there is no message ${id}: it may have been sent`);
    if (found.state !== 'dead' || !lasts(found))
      throw new CommandFailed(
        `message ${id} is ${found.state === 'dead' ? 'expired' : found.state}: only dead messages are sent again`,
      );
    yield [found];
    return;
  }
  for (let after: string | undefined, more = true; more; ) {
    const page = await read.outbox.page('dead', AT_ONCE, after);
    yield page.filter(lasts);
    after = page.at(-1)?.id;
    more = page.length === AT_ONCE;
  }
}

/** Makes dead messages ready again: one, or all. Expired ones are left out. A dry run may run beside the service. */
export async function retryOutbox(
  config: Config,
  now: number,
  { id, dryRun }: { id: string | undefined; dryRun: boolean },
): Promise<{ messages: ShownMessage[]; changed: boolean }> {
  const again: ListedMessage[] = [];
  if (dryRun)
    await withReader(config, UNDONE, async (read) => {
      for await (const page of deadOnes(read, now, id)) again.push(...page);
    });
  else
    await withStore(config, UNDONE, async (store) => {
      for await (const page of deadOnes(store.read, now, id)) {
        await retry(store, page);
        again.push(...page);
      }
    });
  return { messages: again.map(shown), changed: !dryRun && again.length > 0 };
}
