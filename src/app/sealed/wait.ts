import { uuidV7 } from '../../base/ids.ts';
import { withRootKey } from '../../config.ts';
import { checkProvider } from '../../custody/masters.ts';
import { sealedHandler } from '../../http/sealed.ts';
import type { Ground } from '../ground.ts';
import type { Database } from '../open-database.ts';
import { openDoor, unsealSocket } from './door.ts';
import { openSealedFronts, type SealedFronts } from './fronts.ts';
import { collectShares } from './share-collector.ts';

const EXPIRES_EVERY_MS = 1_000;

/** `sealed`: the servers that have answered meanwhile, if the process has waited. */
export type Unsealed = { ground: Ground; sealed: SealedFronts | undefined };

/**
 * Waits until operators have given enough shares of the root key. Nothing was changed so far, and no worker runs. Other providers have
 * their key, so nothing waits.
 */
export async function waitForShares(ground: Ground, { database }: Database): Promise<Unsealed> {
  const { config, machine, random, elapsed, log, counts } = ground;
  if (config.rootKey.provider !== 'shares' || config.rootKey.key !== undefined) return { ground, sealed: undefined };
  const rows = await database.masterKeys();
  if (rows.length === 0)
    throw new Error(
      'ROOT_KEY_PROVIDER=shares, but the database is new: start it with another provider, then give countersign custody rotate-root --to shares',
    );
  checkProvider('shares', rows);
  async function rootIds(): Promise<string[]> {
    const now = await database.masterKeys();
    checkProvider('shares', now);
    return now.filter(({ wrapped }) => wrapped.length > 0).map(({ rootId }) => rootId);
  }
  const shares = collectShares({ elapsed, log, rootIds });
  const ids = uuidV7(machine, random);
  counts.upkeep.sealed.set(1);
  const sealed = await openSealedFronts(ground, {
    main: sealedHandler(shares.state, ids, config.metrics === undefined ? counts : undefined),
    sealed: sealedHandler(shares.state, ids, undefined),
  });
  const expiring = setInterval(shares.expire, EXPIRES_EVERY_MS);
  try {
    const door = await openDoor(config.dataDir, shares);
    log.warn(
      { socket: unsealSocket(config.dataDir) },
      'the service is sealed: it waits for shares of its root key. Give them with countersign custody unseal',
    );
    const key = await shares.opened;
    await door.close();
    counts.upkeep.sealed.set(0);
    log.info({}, 'the shares gave the root key: the service starts');
    return { ground: { ...ground, config: withRootKey(config, key) }, sealed };
  } catch (error) {
    await sealed.close();
    throw error;
  } finally {
    clearInterval(expiring);
  }
}
