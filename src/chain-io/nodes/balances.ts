import type { Asset } from '../../model/asset.ts';
import type { EvmNode } from './evm/node.ts';
import type { Hex } from './read.ts';
import { requestSlots } from './request-slots.ts';
import type { SolanaNode } from './solana/node.ts';
import type { Holdings } from './types.ts';

type AnyNode = EvmNode | SolanaNode;

/** `amount`: in smallest units. `program`: the token program on Solana. */
export type Held = { readonly asset: Asset; readonly amount: bigint; readonly program: string | undefined };

/** How long nodes have to answer a request. */
const MILLISECONDS = 5000;

/** A configured contract gives no balance. Its asset may be worth something, so the account's other assets are no answer. */
export class NoBalanceError extends Error {
  override readonly name = 'NoBalanceError';
  readonly asset: Asset;

  constructor(asset: Asset) {
    super(`${asset.caip19} gives no balance`);
    this.asset = asset;
  }
}

export type Balances = {
  /**
   * The assets of which the account has some, in their order. `organizationId`: the organization that asks. Throws
   * RATE_LIMIT_EXCEEDED, NoBalanceError, NoNodeError and RpcError.
   */
  of(node: AnyNode, account: string, question: { assets: readonly Asset[]; organizationId: string }): Promise<Held[]>;
};

function holdingsOf(node: AnyNode, account: string, tokens: readonly string[]): Promise<Holdings> {
  return node.kind === 'solana'
    ? node.holdings(account, tokens.length > 0, MILLISECONDS)
    : node.holdings(account as Hex, tokens as readonly Hex[], MILLISECONDS);
}

export function balances(): Balances {
  const take = requestSlots('requests for balances');
  return {
    async of(node, account, { assets, organizationId }) {
      const giveBack = take(organizationId);
      try {
        const tokens = assets.flatMap(({ token }) => token ?? []);
        const { native, tokens: held } = await holdingsOf(node, account, tokens);
        return assets
          .map((asset): Held => {
            if (asset.token === undefined) return { asset, amount: native, program: undefined };
            // Of Solana, only mints of which the account has something are there.
            const { amount, program } = held.get(asset.token) ?? { amount: 0n };
            if (amount === undefined) throw new NoBalanceError(asset);
            return { asset, amount, program };
          })
          .filter(({ amount }) => amount > 0n);
      } finally {
        giveBack();
      }
    },
  };
}
