import { readSignedTransaction } from '../../../../../chains/ethereum/signed-transaction.ts';
import type { SendAccount, SendAttempt } from '../../../../../model/send.ts';
import type { EvmReceipt } from '../../../../nodes/evm/values.ts';
import { RpcError } from '../../../../nodes/types.ts';
import type { EvmRow, OnChain, Rows } from '../parts.ts';
import type { BelievedNonces } from './believed.ts';

type Hex = `0x${string}`;

/** The type of transactions that bring authorizations (EIP-7702). Each uses a nonce of the account that authorizes. */
export const AUTHORIZING = 4;

/** An endpoint lags by fewer blocks than this. If the chain says less after them, it is right: the block may have been reorganized away. */
const LAG_BLOCKS = 64n;

/** The account's next nonce. An endpoint that lags behind a block with the account's authorization returns an old one. */
export async function afterAuthorizations(
  { chain }: Pick<OnChain, 'chain'>,
  { knownNonce, knownBlock }: SendAccount,
  said: number,
): Promise<number> {
  if (knownNonce === null || knownBlock === null || knownNonce <= said) return said;
  return (await chain.head()) < BigInt(knownBlock) + LAG_BLOCKS ? knownNonce : said;
}

/** The account's nonces by the endpoints, corrected by the stored authorization. */
export async function allAfterAuthorizations(
  on: Pick<OnChain, 'chain'>,
  row: SendAccount,
  said: BelievedNonces,
): Promise<BelievedNonces> {
  const latest = await afterAuthorizations(on, row, said.latest);
  return { ...said, latest, pending: Math.max(said.pending, latest) };
}

/** Corrects what endpoints say about the account whose message a send brings. */
export const correctionFor =
  ({ read, chain }: Pick<Rows, 'read'> & Pick<OnChain, 'chain'>, { caip2, fromAddress }: EvmRow) =>
  async (said: bigint): Promise<bigint> => {
    const row = await read.sendAccounts.get({ caip2, account: fromAddress });
    return row === undefined ? said : BigInt(await afterAuthorizations({ chain }, row, Number(said)));
  };

/**
 * The nonce of the account after the authorization that another account brought for it. Null: there is none, or the chain ignored
 * it. If no node has the state of that block, the calls tell: they succeed only at a delegated account.
 */
export async function nonceAfterAuthorization(
  { node }: Pick<OnChain, 'node'>,
  { account, fromAddress }: EvmRow,
  { signed }: SendAttempt,
  { blockNumber, succeeded }: EvmReceipt,
): Promise<number | null> {
  if (signed[0] !== AUTHORIZING || account === fromAddress) return null;
  const [brought] = readSignedTransaction(signed).fields.authorizationList ?? [];
  if (brought === undefined) return null;
  const next = brought.nonce + 1n;
  try {
    return (await node.nonce(fromAddress as Hex, blockNumber)) >= next ? Number(next) : null;
  } catch (error) {
    if (error instanceof RpcError) return succeeded ? Number(next) : null;
    throw error;
  }
}
