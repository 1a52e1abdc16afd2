import type { MasterKeyState, Reader } from '../../store/types.ts';

export type MasterKeyStatus = { version: number; state: MasterKeyState; rootKey: string | null; createdAt: string };

export type CustodyStatus = { rootKey: string; masterKeys: MasterKeyStatus[]; unfinished: boolean };

/** A rotation of the master key is unfinished in these states. */
const BETWEEN: readonly MasterKeyState[] = ['coming', 'closing', 'emptied'];

export async function custodyStatus(read: Pick<Reader, 'instance'>): Promise<CustodyStatus> {
  const rows = await read.instance.masterKeys();
  const live = rows.filter(({ state }) => state === 'live');
  return {
    rootKey: [...new Set(rows.filter(({ wrapped }) => wrapped.length > 0).map(({ rootId }) => rootId))].join(', '),
    masterKeys: rows.map(({ version, state, rootId, createdAt }) => ({
      version,
      state,
      rootKey: state === 'retired' ? null : rootId,
      createdAt: new Date(createdAt).toISOString(),
    })),
    unfinished: live.length > 1 || rows.some(({ state }) => BETWEEN.includes(state)),
  };
}
