import type { KeyObject } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { ShareError } from '../../crypto/slip39/share.ts';
import { gatherShares } from '../../custody/roots/gather.ts';
import { isKeyOf } from '../../custody/roots/shares.ts';
import type { Log } from '../../engine/ports.ts';

/** An incomplete set is kept in memory for this long. */
const KEPT_MS = 600_000;

/** The answer to a share. `share`: its number. */
export type Given = { share: number; have: number; need: number; unsealed: boolean };

export type ShareCollector = {
  /** For operators: how many shares are here. */
  state(): string;
  /** Takes a share. Throws ShareError if it is refused. One at a time. */
  give(text: string): Promise<Given>;
  /** Wipes shares that are too old. */
  expire(): void;
  wipe(): void;
  /** The root key, once enough shares have given it. */
  opened: Promise<KeyObject>;
};

type Parts = {
  elapsed: Clock;
  log: Log;
  /** The ids of the root keys that wrap the master keys now. */
  rootIds(): Promise<string[]>;
};

/** Gathers shares until they give the root key of this instance. */
export function collectShares({ elapsed, log, rootIds }: Parts): ShareCollector {
  const gathering = gatherShares();
  const { promise: opened, resolve: open } = Promise.withResolvers<KeyObject>();
  let since = 0;
  let isOpen = false;

  function expire(): void {
    if (gathering.state().have === 0 || elapsed.now() - since < KEPT_MS) return;
    gathering.wipe();
    log.warn({}, 'the shares were wiped: ten minutes have passed since the first one');
  }

  async function rebuilt(ids: readonly string[], need: number): Promise<KeyObject | undefined> {
    function wrong(why: string): ShareError {
      const message = `the ${need} shares do not give the root key of this instance, and were wiped: ${why}`;
      log.warn({}, message);
      return new ShareError(message);
    }
    const key = await gathering.rebuilt().catch((error: Error) => {
      throw error instanceof ShareError ? wrong(error.message) : error;
    });
    if (key !== undefined && !isKeyOf(ids, key)) throw wrong(`it was sealed with ${ids.join(', ')}`);
    return key;
  }

  return {
    opened,
    state() {
      expire();
      const { have, need } = gathering.state();
      if (isOpen) return 'unsealed: the service starts';
      return need === undefined ? 'sealed, no share was given' : `sealed, ${have} of ${need}`;
    },
    async give(text) {
      expire();
      if (isOpen) throw new ShareError('the shares are complete already: the service starts');
      // First, so that a database that does not answer costs no share.
      const ids = await rootIds();
      const share = gathering.add(text);
      const { have, need = 0 } = gathering.state();
      if (have === 1) since = elapsed.now();
      log.info({ share, have, need }, 'a share of the root key was given');
      const key = await rebuilt(ids, need);
      if (key === undefined) return { share, have, need, unsealed: false };
      isOpen = true;
      open(key);
      return { share, have, need, unsealed: true };
    },
    expire,
    wipe: gathering.wipe,
  };
}
