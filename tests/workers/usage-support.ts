import { activities } from '../../src/activities/index.ts';
import type { SteppingWorker } from '../../src/workers/stepping.ts';
import { usageWorker } from '../../src/workers/usage.ts';
import type { Instance } from '../support/instance.ts';

/** The instance's own worker does not sum before the test has ended. */
export const SELDOM = { USAGE_INTERVAL_SECONDS: '3600' };

/** A worker beside the instance, as that of another process. */
export const workerBeside = ({ engine: { store, clock, log, ids, decisions } }: Instance): SteppingWorker =>
  usageWorker({
    ...{ store, clock, log, kinds: activities, decode: decisions.decode },
    elapsed: { now: () => performance.now() },
    owner: ids.next(),
    everyMs: 1,
  });
