import { toHex } from '../../base/bytes.ts';
import { ethereumAccount } from '../ethereum/address.ts';
import { erc20, evmTransfers, unnamedFee } from '../ethereum/read-transfers.ts';
import type { TransactionSigner } from '../shared/transaction.ts';
import { fee, joined, moved, NOTHING, type Reading, readingOf, unread } from '../shared/transfers.ts';
import { readUnsigned } from './transaction.ts';

/** Gas is priced in 10^-18 USD, and tokens that pay fees have six decimals. */
const PRICE_UNITS = 10n ** 12n;

type Read = ReturnType<typeof readUnsigned>;

/** The sender's fee. The chain chooses a token if none is named. */
function feeTransfers({ view, isSponsored }: Read, chain: string, from: string): Reading {
  const { gas_limit, max_fee_per_gas, fee_token } = view;
  const most = (gas_limit * max_fee_per_gas + PRICE_UNITS - 1n) / PRICE_UNITS;
  if (isSponsored || most === 0n) return NOTHING;
  return fee_token === '' ? unread(unnamedFee(chain)) : moved(fee(erc20(chain, fee_token), from, most));
}

/** What an unsigned transaction takes from the account of its signer: all its calls, and the fee. */
export const transfers = (bytes: Uint8Array, { publicKey }: TransactionSigner): Reading =>
  readingOf('eip155', () => {
    const read = readUnsigned(bytes);
    const from = `0x${toHex(ethereumAccount(publicKey))}`;
    const { chain_id: chainId, calls } = read.view;
    const asked = calls.map(({ to, value, input }) => ({ to, value, data: input }));
    return joined([evmTransfers({ chainId, from, calls: asked, fee: 0n }), feeTransfers(read, String(chainId), from)]);
  });
