import type { KeyObject } from 'node:crypto';
import { CommandFailed } from '../../../base/command-failed.ts';
import { type Config, withRootKey } from '../../../config.ts';
import { ShareError } from '../../../crypto/slip39/share.ts';
import { type Gathered, gatherShares } from '../../../custody/roots/gather.ts';

/**
 * Asks for a share. `refused`: why the one before was not taken. Throws CommandFailed if there is no terminal to ask again on. Undefined:
 * there is no further one.
 */
export type NextShare = (state: Gathered, refused: string | undefined) => Promise<string | undefined>;

/** The root key of the shares. */
export async function gatheredKey(next: NextShare): Promise<KeyObject> {
  const gathering = gatherShares();
  let refused: string | undefined;
  try {
    for (;;) {
      const state = gathering.state();
      const text = await next(state, refused);
      if (text === undefined)
        throw new CommandFailed(
          `${state.have} of ${state.need ?? 'the'} shares were given: give them at the prompt, or on standard input, a line each`,
        );
      refused = undefined;
      try {
        gathering.add(text);
        const key = await gathering.rebuilt();
        if (key !== undefined) return key;
      } catch (error) {
        if (!(error instanceof ShareError)) throw error;
        refused = error.message;
      }
    }
  } finally {
    gathering.wipe();
  }
}

/** For commands that need the root key: with ROOT_KEY_PROVIDER=shares, they ask for it. */
export const unlocked = async (config: Config, next: NextShare): Promise<Config> =>
  config.rootKey.provider === 'shares' && config.rootKey.key === undefined
    ? withRootKey(config, await gatheredKey(next))
    : config;
