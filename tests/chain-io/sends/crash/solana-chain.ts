/** Solana as a chain of the schedules: each send gives another new account money. */
import { getBase58Decoder, getBase58Encoder } from '@solana/kit';
import { type Hex, hexToBytes } from 'viem';
import { type SolanaNode, startSolanaNode } from '../../../support/solana-node.ts';
import type { Mark, Order, TestChain, Transaction } from './model.ts';

const base58 = getBase58Decoder();
const base58Bytes = getBase58Encoder();
const SOL = 1_000_000_000n;
/** More than the least balance of an account. */
const LEAST = 1_000_000n;

export type SolanaChain = TestChain & { node: SolanaNode; stop(): Promise<void> };

function marksOf(tag: Hex, { number }: Order): Mark[] {
  const key = Uint8Array.of(...hexToBytes(tag), ...new Uint8Array(14), number >> 8, number & 255);
  return [{ to: base58.decode(key), value: LEAST + BigInt(number), data: '0x' }];
}

/** The transactions after the first `from`. */
export async function startSolanaChain(): Promise<SolanaChain> {
  const node = await startSolanaNode();
  let holds = false;
  const times = ({ to, value }: Mark) => Number((node.svm.getBalance(to as never) ?? 0n) / value);

  return {
    node,
    ticks: true,
    marksOf,
    traceOf: ({ to }) => Buffer.from(base58Bytes.encode(to)).toString('hex'),
    fund: async (account) => node.airdrop(account, 100n * SOL),
    height: async () => node.landed().length,
    async automine(on) {
      holds = !on;
      if (on) node.land();
      else node.hold();
    },
    async mine() {
      if (holds) node.land();
      node.advance(1);
      if (holds) node.hold();
    },
    reorganize: async () => node.rollBack(),
    hasReceipt: async (hash) => node.landed().some(({ signature }) => signature === hash),
    async seen(tag, orders, from, accounts) {
      const found = node.landed().slice(from);
      const all = found.map(({ signature, accounts: [payer], succeeded }, i): Transaction => {
        const others = { to: found[i]!.accounts[1] ?? null, nonce: 0, value: 0n, input: '0x' as const };
        return { hash: signature, from: payer!, succeeded, ...others };
      });
      const transactions = all.filter((each) => accounts.includes(each.from));
      const marks = orders.map((order) => [order.number, marksOf(tag, order)] as const);
      const includes = (i: number, to: string) => found[i]!.accounts.includes(to);
      return {
        transactions,
        effects: new Map(marks.map(([number, [mark]]) => [number, [times(mark!)]])),
        ofOrder: new Map(
          marks.map(([number, [mark]]) => [number, transactions.filter((each) => includes(all.indexOf(each), mark!.to))]),
        ),
      };
    },
    waiting: async () => [],
    stop: () => node.stop(),
  };
}
