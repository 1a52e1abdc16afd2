import { encodeFunctionData, erc20Abi, serializeTransaction } from 'viem';
import { bodyOf, type Entry } from '../review/corpus.ts';

/** The service takes no larger body. */
const LARGEST = 1024 * 1024;

const CALLS = 3200;
const SPENDER = `0x${'5'.repeat(40)}` as const;
const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [SPENDER, 7n] });
const approval = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [SPENDER, 2n ** 256n - 1n] });
const inputs = [{ name: 'data', type: 'bytes[]' }] as const;
const multicall = [{ type: 'function', name: 'multicall', stateMutability: 'payable', inputs, outputs: [] }] as const;

/** A transaction of almost a mebibyte. The last of its calls is an unlimited approval. */
export function largest(): Pick<Entry, 'name' | 'type' | 'parameters'> & { calls: number } {
  const calls = [...Array.from({ length: CALLS - 1 }, () => transfer), approval];
  const unsignedTransaction = serializeTransaction({
    ...{ type: 'eip1559', chainId: 1, nonce: 7, gas: 30_000_000n, maxFeePerGas: 30_000_000_000n, maxPriorityFeePerGas: 1n },
    ...{ to: `0x${'3'.repeat(40)}`, data: encodeFunctionData({ abi: multicall, args: [calls] }) },
  });
  const signWith = '0x14791697260E4c9A71f18484C9f997B308e59325';
  const entry = {
    name: 'a body of almost a mebibyte',
    type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
    parameters: { signWith, type: 'TRANSACTION_TYPE_ETHEREUM', unsignedTransaction },
    calls: CALLS,
  };
  const { length } = bodyOf(entry);
  if (length > LARGEST || length < 0.9 * LARGEST) throw new Error(`the body has ${length} bytes`);
  return entry;
}
