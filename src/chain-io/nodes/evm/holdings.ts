import type { AskOne } from '../endpoints.ts';
import { data, type Hex, quantity } from '../read.ts';
import { type Holdings, RpcError } from '../types.ts';
import { isRefusal, quantityOf } from './calls.ts';

/** balanceOf(address), of ERC-20. */
const BALANCE_OF = '0x70a08231';

/** One word of 32 bytes. An account without code returns nothing, a contract that is no token may return anything. */
const WORD = /^0x[0-9a-f]{64}$/;

const calldata = (account: Hex) => `${BALANCE_OF}${account.slice(2).toLowerCase().padStart(64, '0')}`;

/** All at one block, from one endpoint. Waits for every answer, so that none is still awaited after the first failure. */
export async function evmHoldings(ask: AskOne, account: Hex, tokens: readonly Hex[]): Promise<Holdings> {
  const at = quantityOf(await ask({ method: 'eth_blockNumber', params: [], read: quantity }));
  const options = { joins: Symbol('balances') };
  const native = ask({ method: 'eth_getBalance', params: [account, at], read: quantity, options });
  const held = tokens.map(async (token) => {
    const params = [{ to: token, data: calldata(account) }, at];
    try {
      const word = await ask({ method: 'eth_call', params, read: data, options });
      return [token, { amount: WORD.test(word) ? BigInt(word) : undefined }] as const;
    } catch (error) {
      if (error instanceof RpcError && isRefusal(error)) return [token, { amount: undefined }] as const;
      throw error;
    }
  });
  await Promise.allSettled([native, ...held]);
  return { native: await native, tokens: new Map(await Promise.all(held)) };
}
