import type { Server } from 'node:http';
import type { Config } from '../config.ts';
import type { Service } from '../http/service.ts';
import { buildEngine } from './build-engine.ts';
import { openCustody } from './custody/open.ts';
import type { FirstStart } from './first-start.ts';
import { groundOf, type Surroundings } from './ground.ts';
import type { Logger } from './log/logger.ts';
import { openMetrics } from './metrics-server.ts';
import { type Database, migrateDatabase, openDatabase, openTime } from './open-database.ts';
import { openKeys, openRoot } from './open-keys.ts';
import { openRequests, startWorkers } from './run.ts';
import { openRunners } from './runners.ts';
import { type Unsealed, waitForShares } from './sealed/wait.ts';
import { stop } from './stop.ts';
import { strandedPasskeys } from './stranded-passkeys.ts';

/** The users whose passkeys a start looks at. `countersign doctor` looks at all. */
const MOST_USERS = 1000;

export type App = {
  http: Service;
  /** Only with a port of its own. */
  authProxy: Service | undefined;
  /** Only with a port of their own. */
  frames: Service | undefined;
  console: Service | undefined;
  metrics: Server | undefined;
  log: Logger;
  first: FirstStart;
  /** How many passkeys of the root organization's first users cannot be used on pages of `BASE_URL`. */
  strandedPasskeys(): Promise<number>;
  close(): Promise<void>;
};

/** The six steps of the start: root key, schema, time, keys, engine, then servers and workers. */
async function start({ ground, sealed }: Unsealed, database: Database, surroundings: Surroundings): Promise<App> {
  const root = await openRoot(ground, database);
  await migrateDatabase(ground, database);
  const timed = await openTime(ground, database);
  const keys = await openKeys(ground, timed, root);
  const built = buildEngine(ground, database, timed, keys);
  surroundings.built?.(built.engine);
  const opened = { ground, database, timed, keys, built };
  const { main, authProxy, frames, console } = openRequests(opened, sealed);
  const runners = [...(await openRunners(opened)), ...(await openCustody(opened))];
  const workers = startWorkers(opened, runners);
  const ownMetrics = sealed?.metrics ?? openMetrics(ground);
  return {
    http: main.http,
    authProxy: authProxy?.http,
    frames: frames?.http,
    console: console?.http,
    metrics: ownMetrics,
    log: ground.log,
    first: keys.first,
    strandedPasskeys: () => strandedPasskeys(timed.store.read, keys.first.organizationId, ground.config.baseUrl, MOST_USERS),
    close: () =>
      stop({
        fronts: [main, authProxy, frames, console].filter((front) => front !== undefined),
        metrics: ownMetrics,
        workers,
        used: [built.nodes],
        store: timed.store,
        closeTraces: ground.traces?.close,
        closeLog: ground.closeLog,
      }),
  };
}

/** The one composition root. */
export async function createApp(config: Config, surroundings: Surroundings = {}): Promise<App> {
  const ground = await groundOf(config, surroundings);
  let database: Database | undefined;
  let unsealed: Unsealed | undefined;
  try {
    database = openDatabase(ground);
    unsealed = await waitForShares(ground, database);
    return await start(unsealed, database, surroundings);
  } catch (error) {
    await unsealed?.sealed?.close();
    await database?.database.close().catch(() => {});
    await ground.closeLog();
    throw error;
  }
}
