import { activities } from '../activities/index.ts';
import type { Captcha } from '../auth-proxy/captcha.ts';
import { runQuery } from '../engine/query/run-query.ts';
import { submit } from '../engine/submit/submit.ts';
import { clientAddress } from '../http/address.ts';
import { turnstile } from '../login/captcha/turnstile.ts';
import { CAPTCHA_BOUNDS, guardedCalls } from '../outbound/guard.ts';
import { queries } from '../queries/index.ts';
import { auditWorker } from '../workers/audit/audit-worker.ts';
import { deletionWorker } from '../workers/deletions.ts';
import { velocityWorker } from '../workers/velocity.ts';
import { auditGauge } from './audit.ts';
import type { Built } from './build-engine.ts';
import { databaseGauges } from './database-gauges.ts';
import { checkSpace } from './disk.ts';
import { builtFrames, framePages } from './frames.ts';
import { type Fronts, openFronts } from './fronts.ts';
import type { Ground } from './ground.ts';
import type { Database, TimedDatabase } from './open-database.ts';
import type { Keys } from './open-keys.ts';
import { pages } from './pages.ts';
import { quarantineWarning } from './quarantine.ts';
import { checkOnce } from './quick-check.ts';
import { readiness } from './readiness.ts';
import { reference } from './reference.ts';
import { openScans } from './scans.ts';
import type { SealedFronts } from './sealed/fronts.ts';
import { openGauges } from './send-gauges.ts';
import { openSends } from './sends.ts';
import { discoveryDocument } from './service-keys.ts';
import { openShipping } from './shipping.ts';
import { closedOnce, type Worker } from './stop.ts';
import { limitUnstamped } from './unstamped.ts';
import { upkeepGauges } from './upkeep-gauges.ts';
import { openUsage, usageGauges } from './usage.ts';
import { openWebhooks, webhookGauges } from './webhooks.ts';
import { wrongChains } from './wrong-chains.ts';

/** All that the steps before have opened. */
export type Opened = { ground: Ground; database: Database; timed: TimedDatabase; keys: Keys; built: Built };

function captchaOf({ config, log, counts }: Ground): Captcha {
  const calls = () => guardedCalls({ allowed: config.outboundAllow, bounds: CAPTCHA_BOUNDS });
  return {
    port: config.captcha && turnstile(config.captcha, calls(), log),
    count: (outcome: string) => counts.captchas.inc({ outcome }),
  };
}

/** The servers for requests. */
export function openRequests(
  { ground, timed, keys, built: { engine, messages, nodes, webhookKeys, streams } }: Opened,
  sealed: SealedFronts | undefined,
): Fronts {
  const { config, elapsed, log, counts, traces } = ground;
  const { store, clock, ids, warning, outdated } = timed;
  const addressOf = clientAddress(config.trustedProxies);
  const parts: Parameters<typeof openFronts>[3] = {
    activities,
    queries,
    submit: (...request) => submit(engine, ...request),
    ask: (...request) => runQuery(engine, ...request),
    ready: readiness(async () => {
      await store.check(clock.now());
      const space = store.engine === 'sqlite' ? checkSpace(config.dataDir) : undefined;
      const copied = quarantineWarning(await store.read.instance.quarantine());
      return [warning(), copied, space, ...wrongChains(nodes)].filter((found) => found !== undefined);
    }),
    refused: outdated.found,
    metrics: counts,
    metricsElsewhere: config.metrics !== undefined,
    addressOf,
    unstamped: limitUnstamped(config, elapsed, addressOf, log),
    devOutbox: messages.kept,
    log,
    spans: traces?.spans,
    ids,
    elapsed,
    pages: pages(config, keys.own, discoveryDocument(keys.services)),
    reference: reference(),
    webhookKeys: webhookKeys.published,
    openStream: streams.open,
  };
  counts.before(databaseGauges({ store, ready: parts.ready, elapsed, families: counts.database }));
  const frames = framePages(config.frames, [keys.services['bundle-signer'].publicKey], builtFrames(config.frames));
  return openFronts(config, engine, captchaOf(ground), parts, frames, ground.machine, sealed);
}

/** Starts what works beside requests. The result is closed when the service stops, with the workers that run already. */
export function startWorkers(
  { ground, database, timed, keys, built: { engine, messages, nodes, webhookKeys, streams } }: Opened,
  runners: readonly Worker[],
): Worker[] {
  const { config, machine, elapsed, random, log, counts, traces } = ground;
  const { store, clock, ids, outdated } = timed;
  const { vault } = keys;
  const deletions = deletionWorker({ store, clock, elapsed, log });
  const velocity = velocityWorker({ store, clock, elapsed, log });
  const sends = openSends({ config, store, clock, elapsed, log, nodes, load: database.load, vault, owner: ids.next(), counts });
  database.wake.sends = sends.wake;
  counts.before(openGauges({ config, store, nodes, paymaster: vault.paymaster, gauges: counts.sends, clock, elapsed }));
  const families = counts.webhooks;
  const webhooks = openWebhooks({
    ...{ config, store, clock, elapsed, log, ids, random, vault, keys: webhookKeys, families },
    spans: traces?.spans,
    fannedOut: streams.wake,
  });
  database.wake.events = webhooks.wake;
  counts.before(webhookGauges({ store, clock, elapsed, families }));
  const scans = openScans({ config, store, clock, elapsed, log, nodes, owner: ids.next(), families: counts.scans });
  const usage = openUsage({ config, store, clock, elapsed, log, owner: ids.next(), decode: engine.decisions.decode });
  const audit = auditWorker({ store, clock, elapsed, log, owner: ids.next(), decode: engine.decisions.decode });
  const shipping = openShipping({ config, engine, elapsed, owner: ids.next() });
  const ships = shipping !== undefined;
  counts.before(auditGauge({ store, clock, elapsed, ships, families: counts.audit }));
  counts.before(upkeepGauges({ dataDir: config.dataDir, store, clock, elapsed, families: counts.upkeep }));
  counts.before(usageGauges({ store, clock, elapsed, families: counts.usage }));
  nodes.look();
  deletions.start();
  velocity.start();
  sends.start();
  messages.worker.start();
  webhooks.start();
  scans.start();
  usage.start();
  audit.start();
  shipping?.start();
  const workers = [
    messages.worker,
    webhooks,
    streams,
    scans,
    deletions,
    velocity,
    usage,
    audit,
    ...(shipping ? [shipping] : []),
    ...runners,
    checkOnce({ store, machine, log }),
    { close: () => sends.close(nodes.close) },
  ].map(closedOnce);
  outdated.start(() => void Promise.all(workers.map((worker) => worker.close())));
  return [outdated, ...workers];
}
