import type { EvmIntent } from '../../model/evm-intent.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';

type Hex = `0x${string}`;

/** What reading and signing need of a row of `sends`. */
export type EvmSend = {
  readonly caip2: string;
  /** Whose nonce counts, and who pays: lower case. */
  readonly account: Hex;
  /** The user's account: lower case. */
  readonly fromAddress: Hex;
  readonly intent: EvmIntent;
};

/**
 * What the chain says of a send before a nonce is taken for it.
 * - `ready`: it can be signed now. `delegated`: the account runs the delegate's code, and needs no authorization. `messageNonce`: the
 *   next one of its messages (the given one if it was given); null for forms without a message. `authorityNonce`: of the account that
 *   authorizes, where it is not the one that pays.
 * - `wait`: transactions of the account that authorizes are on their way: read again later.
 * - `never`: it cannot be carried out as it was judged, so that it fails without being signed.
 */
export type EvmReading =
  | {
      readonly is: 'ready';
      readonly delegated: boolean;
      readonly messageNonce: bigint | null;
      readonly authorityNonce: bigint | null;
    }
  | { readonly is: 'wait' | 'never'; readonly message: string };

/** Reads what signing needs. Asks nobody for `call`, `undelegate` and `raw`. `now`: milliseconds. Throws NoNodeError. */
export async function readEvm(_node: EvmNode, _send: EvmSend, _now: number): Promise<EvmReading> {
  throw new Error('not yet');
}
