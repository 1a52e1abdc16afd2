import type { KeyObject } from 'node:crypto';
import type { MasterKeyState, WrappedMasterKey } from '../store/types.ts';
import { openMasterKey } from './masters.ts';
import type { RootKey } from './types.ts';

type Row = Pick<WrappedMasterKey, 'version' | 'rootId' | 'wrapped'> & { state?: MasterKeyState };

/** The master keys that this process has opened, and what each may do. */
export type KeyRing = {
  readonly keys: ReadonlyMap<number, KeyObject>;
  readonly states: ReadonlyMap<number, MasterKeyState>;
  /** Rises when a version comes, changes its state, or goes. */
  generation(): number;
  /** Follows the stored rows: opens versions that are new here, and drops retired ones. Throws if one does not open. */
  take(rows: readonly Row[]): Promise<void>;
};

/**
 * A key that is open stays open when another root key wraps it. So the process works until it is restarted. `rootNow`: a rotation in this
 * process replaces the root key.
 */
export function keyRing(rootNow: () => RootKey): KeyRing {
  const keys = new Map<number, KeyObject>();
  const states = new Map<number, MasterKeyState>();
  let generation = 0;
  return {
    keys,
    states,
    generation: () => generation,
    async take(rows) {
      for (const row of rows) {
        const { version, wrapped, state = 'live' } = row;
        // A retired version has no key any more.
        if (wrapped.length === 0) keys.delete(version);
        else if (!keys.has(version)) keys.set(version, await openMasterKey(rootNow(), row));
        if (states.get(version) !== state) generation++;
        states.set(version, state);
      }
    },
  };
}
