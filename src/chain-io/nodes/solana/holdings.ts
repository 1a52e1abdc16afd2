import { base58 } from '@scure/base';
import { TOKEN, TOKEN_2022 } from '../../../chains/solana/transfers.ts';
import type { AskOne } from '../endpoints.ts';
import { list, Malformed, object, text, whole } from '../read.ts';
import type { Holdings } from '../types.ts';
import { valueIn } from './values.ts';

const PROGRAMS = [TOKEN, TOKEN_2022];

/** Both programs begin a token account with the mint and the owner, of 32 bytes each. The amount of 8 bytes follows. */
const SLICE = { offset: 0, length: 72 };

/** `mint`: in hex. */
type TokenAccount = { mint: string; amount: bigint };

function readTokenAccount(account: string): (value: unknown) => TokenAccount {
  const owner = base58.decode(account);
  return (value) => {
    const [encoded] = list(object(object(value).account).data);
    const bytes = Buffer.from(text(encoded), 'base64');
    if (bytes.length !== SLICE.length || !bytes.subarray(32, 64).equals(owner)) throw new Malformed('no token account');
    return { mint: bytes.toString('hex', 0, 32), amount: bytes.readBigUInt64LE(64) };
  };
}

/** From one endpoint. Several token accounts of one mint add up. */
export async function solanaHoldings(ask: AskOne, account: string, withTokens: boolean): Promise<Holdings> {
  const options = { joins: Symbol('balances') };
  const commitment = 'confirmed';
  const native = ask({
    method: 'getBalance',
    params: [account, { commitment }],
    read: (result) => whole(valueIn(result)),
    options,
  });
  const held = (withTokens ? PROGRAMS : []).map(async (programId) => {
    const params = [account, { programId }, { encoding: 'base64', dataSlice: SLICE, commitment }];
    const read = (result: unknown) => list(valueIn(result)).map(readTokenAccount(account));
    return { program: programId, accounts: await ask({ method: 'getTokenAccountsByOwner', params, read, options }) };
  });
  await Promise.allSettled([native, ...held]);
  const tokens = new Map<string, { amount: bigint; program: string }>();
  for (const { program, accounts } of await Promise.all(held))
    for (const { mint, amount } of accounts) tokens.set(mint, { program, amount: amount + (tokens.get(mint)?.amount ?? 0n) });
  // One address may have thousands of accounts of a mint.
  const named = [...tokens].map(([mint, held]) => [base58.encode(Buffer.from(mint, 'hex')), held] as const);
  return { native: await native, tokens: new Map(named) };
}
