import { addressFormat } from '../../../chains/index.ts';
import { placeOf, type ScannedTransaction } from '../../../model/scan.ts';
import type { EvmIntent, Send } from '../../../model/send.ts';
import type { EvmMined } from '../../nodes/evm/mined.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';
import type { Hex } from '../../nodes/read.ts';
import type { Assets } from '../assets.ts';
import { rowsOf } from '../evm/transactions.ts';
import type { HistoryOf } from './page.ts';

/** How long nodes have for a page. */
const MILLISECONDS = 5000;

const { normalize } = addressFormat('ADDRESS_FORMAT_ETHEREUM')!;

type Account = Pick<HistoryOf, 'organizationId' | 'address'>;
type Parts = Account & { node: EvmNode; assets: Assets };

/** Coins that the account's delegate moved. A node shows only what the transaction itself moves. */
function inner({ intent, fromAddress }: Send, { native }: Assets): ScannedTransaction['transfers'] {
  const { form, calls } = intent as EvmIntent;
  if (native === undefined || (form !== 'batch' && form !== 'sponsored')) return [];
  return calls.flatMap(({ to, value: amount }) => {
    if (amount === '0') return [];
    const isOwn = to === fromAddress;
    const moved = { asset: native, amount, counterparty: normalize(to) };
    return [{ direction: 'OUT' as const, ...moved }, ...(isOwn ? [{ direction: 'IN' as const, ...moved }] : [])];
  });
}

function rowOfSend({ node, assets, ...account }: Parts, send: Send, mined: EvmMined): ScannedTransaction {
  const { transaction, receipt, transfers: tokens, timestamp } = mined;
  const block = { number: receipt.blockNumber, hash: receipt.blockHash, timestamp };
  const { row } = rowsOf({ transaction, tokens }, [account], { caip2: node.caip2, block, receipt, assets })[0]!;
  const more = receipt.succeeded ? inner(send, assets) : [];
  return { ...row, finalized: send.state === 'final', transfers: [...row.transfers, ...more] };
}

/** The history of an address on an EVM chain. */
export function evmHistory(parts: Parts): HistoryOf {
  const { organizationId, address, node } = parts;
  return {
    organizationId,
    caip2: node.caip2,
    address,
    fromAddress: address.toLowerCase(),
    placeOf: ({ blockNumber, hash }) => placeOf(blockNumber!, Buffer.from(hash.slice(2, 18), 'hex')),
    async look(sends) {
      const found = await node.mined(
        sends.map(({ hash }) => hash as Hex),
        MILLISECONDS,
      );
      return sends.flatMap((send, i) => {
        const mined = found[i];
        return mined === undefined ? [] : [rowOfSend(parts, send, mined)];
      });
    },
  };
}
