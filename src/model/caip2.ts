/** A network to which transactions are sent. `caip2`: its one canonical name. */
export type Network =
  | { readonly kind: 'eip155'; readonly caip2: string; readonly chainId: bigint }
  | { readonly kind: 'solana'; readonly caip2: string; readonly cluster: SolanaCluster };

export type SolanaCluster = 'mainnet' | 'devnet';

/** Hashes of the first blocks. CAIP-2 takes their first 32 characters. */
export const SOLANA_GENESIS: Readonly<Record<SolanaCluster | 'testnet', string>> = {
  mainnet: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d',
  devnet: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG',
  testnet: '4uhcVJyU9pJkvQyS88uRDiswHXSGkY3zQawwpjk2NsNY',
};

/** The largest chain id that EIP-2294 allows. */
const GREATEST_CHAIN_ID = 2n ** 63n - 37n;

const evmNetwork = (chainId: bigint): Network => ({ kind: 'eip155', caip2: `eip155:${chainId}`, chainId });

export function solanaNetwork(cluster: SolanaCluster): Network {
  return { kind: 'solana', caip2: `solana:${SOLANA_GENESIS[cluster].slice(0, 32)}`, cluster };
}

function solanaOf(reference: string): Network | undefined {
  for (const cluster of ['mainnet', 'devnet'] as const) {
    const genesis = SOLANA_GENESIS[cluster];
    if ([cluster, genesis, genesis.slice(0, 32)].includes(reference)) return solanaNetwork(cluster);
  }
  return undefined;
}

/**
 * A network by its CAIP-2 name. Undefined for any other text. The forms:
 * - `eip155:` and any chain id.
 * - `solana:` and one of: the cluster's genesis hash, its first 32 characters, `mainnet`, `devnet`.
 */
export function parseCaip2(text: string): Network | undefined {
  const [, namespace, reference] = /^(eip155|solana):([0-9A-Za-z]{1,44})$/.exec(text) ?? [];
  if (reference === undefined) return undefined;
  if (namespace === 'solana') return solanaOf(reference);
  if (!/^[1-9]\d{0,18}$/.test(reference)) return undefined;
  const chainId = BigInt(reference);
  return chainId <= GREATEST_CHAIN_ID ? evmNetwork(chainId) : undefined;
}
