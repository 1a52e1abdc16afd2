import type { SolanaNode } from '../../nodes/solana/node.ts';
import type { SolanaBlockhash } from '../../nodes/solana/values.ts';

/** A blockhash counts for so many blocks. */
const VALID_BLOCKS = 150n;
/** One that the service chose is signed if it counts for so many blocks more. */
const ENOUGH_BLOCKS = 40n;
/** Endpoints, and a caller, may know later blocks than what endpoints agree on. */
const AHEAD = 32n;

/** How far the chain is, as far as endpoints agree, which is asked once; and what they give to sign with, which is asked when it is needed. */
export type Blockhashes = { height: bigint; latest(): Promise<SolanaBlockhash[]> };

function once<T>(ask: () => Promise<T>): () => Promise<T> {
  let asked: Promise<T> | undefined;
  return () => {
    asked ??= ask();
    return asked;
  };
}

export async function blockhashes(node: SolanaNode): Promise<Blockhashes> {
  const { known } = await node.blockHeights('confirmed');
  return { height: known, latest: once(() => node.latestBlockhashes()) };
}

/** Until which block a blockhash that the caller gave may count. */
export const lastOfGiven = (height: bigint): bigint => height + VALID_BLOCKS + AHEAD;

/**
 * The last block that a blockhash counts for, never too low: it is from a block up to now. Undefined if it is over soon, or if what its endpoint
 * says of it cannot be.
 */
export function lastOf(height: bigint, said: bigint): bigint | undefined {
  if (said < height + ENOUGH_BLOCKS || said > lastOfGiven(height)) return undefined;
  const last = height + VALID_BLOCKS;
  return said > last ? said : last;
}

/** One to sign with. `number`: of the attempt, so that another endpoint is believed each time. */
export async function choose({ height, latest }: Blockhashes, number: number): Promise<{ blockhash: string; last: bigint }> {
  const found = (await latest()).flatMap(({ blockhash, lastValidBlockHeight }) => {
    const last = lastOf(height, lastValidBlockHeight);
    return last === undefined ? [] : [{ blockhash, last, said: lastValidBlockHeight }];
  });
  found.sort((a, b) => Number(b.said - a.said));
  const chosen = found[(number - 1) % found.length];
  if (chosen === undefined) throw new Error('no endpoint gives a blockhash that fits what endpoints say of blocks');
  return { blockhash: chosen.blockhash, last: chosen.last };
}
