import type { SolanaNode } from '../../nodes/solana/node.ts';
import type { SolanaBlockhash } from '../../nodes/solana/values.ts';

/** For how many blocks a blockhash is valid. */
const VALID_BLOCKS = 150n;
/** A blockhash that the service chose is signed if it is valid for this many more blocks. */
const ENOUGH_BLOCKS = 40n;
/** Endpoints, and a caller, may know later blocks than the height that endpoints agree on. */
const AHEAD = 32n;

/** `height`: of the chain, as far as endpoints agree; asked once. `latest`: the blockhashes to sign with; asked when needed. */
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

/** The last block for which a blockhash that the caller gave may be valid. */
export const lastOfGiven = (height: bigint): bigint => height + VALID_BLOCKS + AHEAD;

/**
 * The last block for which a blockhash is valid. It is never too low: the blockhash is from a block up to now. Undefined if it
 * expires soon, or if its endpoint's answer cannot be true.
 */
export function lastOf(height: bigint, said: bigint): bigint | undefined {
  if (said < height + ENOUGH_BLOCKS || said > lastOfGiven(height)) return undefined;
  const last = height + VALID_BLOCKS;
  return said > last ? said : last;
}

/** A blockhash to sign with. `number`: of the attempt, so that another endpoint is believed each time. */
export async function choose({ height, latest }: Blockhashes, number: number): Promise<{ blockhash: string; last: bigint }> {
  const found = (await latest()).flatMap(({ blockhash, lastValidBlockHeight }) => {
    const last = lastOf(height, lastValidBlockHeight);
    return last === undefined ? [] : [{ blockhash, last, said: lastValidBlockHeight }];
  });
  found.sort((a, b) => Number(b.said - a.said));
  const chosen = found[(number - 1) % found.length];
  if (chosen === undefined) throw new Error('no endpoint returned a blockhash that matches the block heights of the endpoints');
  return { blockhash: chosen.blockhash, last: chosen.last };
}
