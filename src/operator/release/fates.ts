import { rfc3339 } from '../../base/time.ts';
import { AHEAD_MS, type Quarantine } from '../../model/quarantine.ts';
import type { Send } from '../../model/send.ts';

/**
 * What the chain shows about a send that was accepted before the database was copied:
 * - `mined`: a block has a transaction of it that this instance knows.
 * - `replaced`: a transaction that this instance does not know used its nonce. It fails once that is final, and never gets another nonce.
 * - `waits`: it was signed, and its nonce is unused. It goes on, with this nonce or none, so at most one transaction lands.
 * - `safe`: it was not signed, and can be sent. The chain shows nothing of its account that is unknown here, or sending it twice is
 *   impossible.
 * - `maybe sent`: it was not signed here. The chain shows transactions of its account that are unknown here, so it fails.
 * - `held`: the chain could not be asked, or the answer may change. It stays in quarantine.
 * - `ended`: it was ended without a question, for a copy for tests.
 */
export type Fate = 'mined' | 'replaced' | 'waits' | 'safe' | 'maybe sent' | 'held' | 'ended';

export type Judged = { send: Send; fate: Fate };

/** `held`: why all sends of the account stay in quarantine. */
export type JudgedAccount = { judged: Judged[]; held: string | undefined };

export const heldAll = (sends: readonly Send[], held: string): JudgedAccount => ({
  judged: sends.map((send) => ({ send, fate: 'held' })),
  held,
});

/** The error of a send that may have been sent by the original. */
export const maybeSent = (account: string): string =>
  `${account} has transactions on the chain that this instance does not know. The send is older than this copy of the database, so ` +
  'it is never sent: the original may have done that';

/** How old the latest block may be: in any case, and if it was made after the copy's first start. */
const RECENT_MS = 60_000;
const OLD_MS = 15 * 60_000;

/** The original was stopped before the copy's first start: a block since then shows all that it sent. */
export const newestOf = ({ refusesBefore }: Quarantine, now: number): number =>
  Math.max(now - OLD_MS, Math.min(refusesBefore === null ? now : refusesBefore - AHEAD_MS, now - RECENT_MS));

/** Why an endpoint's answers prove nothing. `at`: the time of its latest block. `newest`: it must be at least this. */
export const oldBlock = (caip2: string, at: number, newest: number): string | undefined =>
  at >= newest
    ? undefined
    : `the latest block of ${caip2} is of ${rfc3339(at)}: it does not show all that the original sent. Run the command again when the RPC endpoint has a new block`;
