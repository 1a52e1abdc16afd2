import type { Clock } from '../../../../../base/clock.ts';
import { recentAnswer } from '../../../../nodes/recent-answer.ts';
import type { BelievedNonce, BelievedNonces } from './believed.ts';

/** How old the chain's nonces may be while a burst is signed. No other party is expected to use the account. */
const BURST_MS = 2_000;
/** The same for the following steps, while sends come one after the other. */
const NEXT_STEPS_MS = 500;

/** The last answer about the account's nonces, kept between steps. `messagesTaken`: of the account when it was last asked because of that. */
export type LastNonces = { said: { nonces: BelievedNonces; at: number } | undefined; messagesTaken: number | undefined };

export const noLastNonces = (): LastNonces => ({ said: undefined, messagesTaken: undefined });

/** The account's nonces on the chain. */
export type RecentNonces = {
  /** As they were a moment ago. */
  recent(): Promise<BelievedNonces>;
  /** As they are now. */
  fresh(): Promise<BelievedNonces>;
  /** Asks again if another account brought authorizations since the last answer: each used a nonce of this account. */
  refreshAfterMessages(messagesTaken: number): Promise<void>;
  /** A newer answer about mined transactions replaces the earlier one. */
  update(newer: BelievedNonce): void;
  /** The next step asks again. */
  forget(): void;
};

export function recentNonces(last: LastNonces, elapsed: Clock, ask: () => Promise<BelievedNonces>): RecentNonces {
  const asked = recentAnswer(elapsed, BURST_MS, async () => {
    const at = elapsed.now();
    const nonces = await ask();
    last.said = nonces.doubt === undefined ? { nonces, at } : undefined;
    return nonces;
  });
  return {
    fresh: () => asked(true),
    async recent() {
      const { said } = last;
      return said !== undefined && elapsed.now() - said.at < NEXT_STEPS_MS ? said.nonces : asked();
    },
    async refreshAfterMessages(messagesTaken) {
      if (last.messagesTaken === messagesTaken) return;
      await asked(true);
      last.messagesTaken = messagesTaken;
    },
    update(newer) {
      if (last.said === undefined) return;
      const pending = Math.max(last.said.nonces.pending, newer.latest);
      last.said = newer.doubt === undefined ? { ...last.said, nonces: { ...newer, pending } } : undefined;
    },
    forget() {
      last.said = undefined;
    },
  };
}
