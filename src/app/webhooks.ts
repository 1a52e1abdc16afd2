import type { Clock } from '../base/clock.ts';
import type { Ids } from '../base/ids.ts';
import type { Random } from '../base/random.ts';
import type { Spans } from '../base/spans.ts';
import { recentAnswer } from '../chain-io/nodes/recent-answer.ts';
import type { Config } from '../config.ts';
import type { Engine } from '../engine/engine.ts';
import type { WebhookFamilies } from '../http/metrics/webhooks.ts';
import { WEBHOOK_BOUNDS } from '../outbound/guard.ts';
import { threadedPosts } from '../outbound/post-thread.ts';
import type { Store } from '../store/types.ts';
import type { WebhookKeys } from '../workers/webhooks/keys.ts';
import type { Done } from '../workers/webhooks/round.ts';
import { type WebhookWorker, webhookWorker } from '../workers/webhooks/worker.ts';
import type { Logger } from './log/logger.ts';
import { tracedPost } from './traces/parts.ts';

/** The least time between two looks, however often the page is requested. */
const EVERY_MS = 5_000;

type Parts = {
  config: Config;
  store: Store;
  clock: Clock;
  elapsed: Clock;
  log: Logger;
  ids: Ids;
  random: Random;
  vault: Engine['vault'];
  keys: WebhookKeys;
  families: WebhookFamilies;
  fannedOut(organizationIds: ReadonlySet<string>): void;
  spans: Spans | undefined;
};

/** Counts the outcomes of attempts, after their record. */
const counting =
  ({ attempts, seconds, paused }: WebhookFamilies, clock: Clock) =>
  (done: readonly Done[], isPaused: boolean): void => {
    for (const { delivery, attempted } of done) {
      if (attempted.outcome === 'stopped') continue;
      attempts.inc({ outcome: attempted.outcome });
      if (attempted.outcome === 'delivered') seconds.observe((clock.now() - delivery.createdAt) / 1000);
    }
    if (isPaused) paused.inc();
  };

/** The worker that delivers webhooks. Its thread for posts starts with the first delivery. */
export function openWebhooks({ config, vault, families, spans, ...parts }: Parts): WebhookWorker {
  const { post, close } = threadedPosts({ allowed: config.outboundAllow, bounds: WEBHOOK_BOUNDS });
  const worker = webhookWorker({
    ...parts,
    owner: parts.ids.next(),
    vault: vault.webhooks,
    post: spans ? tracedPost(post, spans) : post,
    settled: counting(families, parts.clock),
  });
  return {
    ...worker,
    async close() {
      await worker.close();
      await close();
    },
  };
}

/** Looks up the gauge of late endpoints, and of events whose deliveries are not made yet. */
export function webhookGauges({
  store,
  clock,
  elapsed,
  families: { late },
}: Pick<Parts, 'store' | 'clock' | 'elapsed' | 'families'>) {
  return recentAnswer(elapsed, EVERY_MS, async () => {
    try {
      const now = clock.now();
      const [[queue], [event]] = await Promise.all([
        store.read.webhookQueues.due(now, 1, false),
        store.read.webhookEvents.waiting(1),
      ]);
      const since = Math.min(queue?.nextAt ?? now, event?.createdAt ?? now, now);
      late.set((now - since) / 1000);
    } catch {
      // An old value would hide that the database does not answer.
      late.set(Number.NaN);
    }
  });
}
