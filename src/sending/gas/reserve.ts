import type { ErrorCode } from '../../base/errors.ts';
import type { CoinPrice } from '../../model/gas.ts';
import type { Organization } from '../../model/organization.ts';
import type { Writer } from '../../store/types.ts';

/** What `sponsorOf`, `reserveGas` and `raiseGas` may throw. */
export const SPONSORSHIP_ERRORS: readonly ErrorCode[] = ['SPONSORSHIP_DISABLED', 'SPONSORSHIP_UNAVAILABLE', 'GAS_LIMIT_EXCEEDED'];

type Context = { store: Writer; organization: Organization; now: number };

/** `units`: the most that the send may cost, replacements too, in wei or lamports. `price`: of `sponsorOf`. */
export type Reservation = { sendId: string; units: bigint; price: CoinPrice };

/**
 * Inside the transaction that accepts a sponsored send, after its last write (`acceptSend` too), because it takes a row that all sponsored
 * sends of a top-level organization take. Gives the micro-USD that are reserved. Throws SPONSORSHIP_DISABLED and GAS_LIMIT_EXCEEDED.
 */
export async function reserveGas(_ctx: Context, _reservation: Reservation): Promise<number> {
  throw new Error('not yet');
}

/** The same for a send that may cost more from now on: `units` in all. Nothing changes if that is reserved already. */
export async function raiseGas(_ctx: Context, _raise: { sendId: string; units: bigint }): Promise<number> {
  throw new Error('not yet');
}

type Send = { organizationId: string; id: string };

/**
 * In a transaction of a lane, after its last write: what the send cost in fact, in wei or lamports. It may be called again with another
 * cost, as when a block fell out. Nothing happens if nothing was reserved.
 */
export async function settleGas(_tx: Writer, _send: Send, _units: bigint): Promise<void> {
  throw new Error('not yet');
}

/** The send failed and cost nothing. */
export const releaseGas = (tx: Writer, send: Send): Promise<void> => settleGas(tx, send, 0n);
