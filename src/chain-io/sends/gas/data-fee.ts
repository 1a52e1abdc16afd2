import { toHex } from '../../../base/bytes.ts';
import { encodeBytes, encodeTuple } from '../../../chains/ethereum/abi-encode.ts';
import { keccak256 } from '../../../crypto/hash.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';

type Hex = `0x${string}`;

/** The oracle on chains of the OP Stack (Optimism, Base …). A transaction there pays for being written to Ethereum, besides its gas. */
const ORACLE: Hex = '0x420000000000000000000000000000000000000f';
const L1_FEE = '49948e0e';

/** Twice the current fee: nothing bounds its future value. */
const MARGIN = 2n;

/** Bytes that no compression makes shorter. */
function noise(length: number): Hex {
  let block = keccak256(new Uint8Array(32));
  let digits = '';
  while (digits.length < 2 * length) {
    digits += toHex(block);
    block = keccak256(block);
  }
  return `0x${digits.slice(0, 2 * length)}`;
}

/** Chains without the oracle. Code does not appear at this address later. */
const without = new WeakSet<EvmNode>();

/** The most that a transaction of `bytes` bytes may pay besides its gas, in wei. Throws NoNodeError and RpcError. */
export async function dataFeeOf(node: EvmNode, bytes: number): Promise<bigint> {
  if (without.has(node)) return 0n;
  if ((await node.code(ORACLE)) === '0x') {
    without.add(node);
    return 0n;
  }
  const made = await node.call({ to: ORACLE, data: `0x${L1_FEE}${encodeTuple([encodeBytes(noise(bytes))])}` });
  // Another contract is there.
  if (!('output' in made) || made.output.length !== 66) return 0n;
  return MARGIN * BigInt(made.output);
}
