import type { EngineName } from '../../store/columns.ts';
import type { SealedRows } from '../../store/sealed/rows.ts';
import type { MasterKeyState, Reader } from '../../store/types.ts';
import { type LeftOpen, survey } from './left-open.ts';

export type MasterKeyStatus = {
  version: number;
  state: MasterKeyState;
  rootKey: string | null;
  createdAt: string;
  hashesUntil: string | null;
};

/** `leftOpen`: what keeps versions open that are being emptied. */
export type CustodyStatus = { rootKey: string; masterKeys: MasterKeyStatus[]; unfinished: boolean; leftOpen: LeftOpen[] };

const time = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());

/** A rotation of the master key is unfinished in these states. */
const BETWEEN: readonly MasterKeyState[] = ['coming', 'closing', 'emptied'];

type Seen = { read: Pick<Reader, 'instance'>; sealed: Pick<SealedRows, 'hashesUntil' | 'page'>; engine: EngineName };

export async function custodyStatus({ read, sealed, engine }: Seen, now: number): Promise<CustodyStatus> {
  const rows = await read.instance.masterKeys();
  const until = new Map<number, number | undefined>();
  for (const { version, state } of rows) if (state === 'hashes') until.set(version, await sealed.hashesUntil(version, now));
  const leftOpen: LeftOpen[] = [];
  for (const { version, state } of rows)
    if (state === 'closing') leftOpen.push(...(await survey({ sealed, engine }, version)).leftOpen);
  const live = rows.filter(({ state }) => state === 'live');
  return {
    rootKey: [...new Set(rows.filter(({ wrapped }) => wrapped.length > 0).map(({ rootId }) => rootId))].join(', '),
    masterKeys: rows.map(({ version, state, rootId, createdAt }) => ({
      version,
      state,
      rootKey: state === 'retired' ? null : rootId,
      createdAt: new Date(createdAt).toISOString(),
      hashesUntil: time(until.get(version)),
    })),
    unfinished: live.length > 1 || rows.some(({ state }) => BETWEEN.includes(state)),
    leftOpen,
  };
}
