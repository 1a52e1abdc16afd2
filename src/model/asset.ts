import { type Network, parseCaip2 } from './caip2.ts';

/** A coin or token whose balance can be shown. */
export type Asset = {
  /** Its one canonical name. */
  readonly caip19: string;
  readonly symbol: string;
  readonly name: string;
  /** Digits between the asset and its smallest unit. */
  readonly decimals: number;
  readonly stable: boolean;
  readonly logoUrl?: string | undefined;
  /** The contract in lower case, or the mint. Undefined: the native coin of its network. */
  readonly token: string | undefined;
};

export type AssetName = { readonly network: Network; readonly caip19: string; readonly token: string | undefined };

/** The coin type of Solana in SLIP-44. */
const SOLANA_COIN = '501';

const NAME = /^([a-z0-9]+:[0-9A-Za-z]+)\/(slip44|erc20|token):([0-9A-Za-z]+)$/;
const CONTRACT = /^0x[0-9a-fA-F]{40}$/;
const MINT = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;
const COIN_TYPE = /^(?:0|[1-9]\d{0,9})$/;

/**
 * An asset by its CAIP-19 name. Undefined for any other text. The forms:
 * - `eip155:1/slip44:60`, `solana:mainnet/slip44:501`: the native coin.
 * - `eip155:1/erc20:0x…`: a contract, in any case.
 * - `solana:mainnet/token:…`: a mint. The caller checks that it is base58 of 32 bytes.
 */
export function parseCaip19(text: string): AssetName | undefined {
  const [, chain = '', namespace, reference = ''] = NAME.exec(text) ?? [];
  const network = parseCaip2(chain);
  if (network === undefined) return undefined;
  const named = (token: string | undefined, end = token) => ({ network, token, caip19: `${network.caip2}/${namespace}:${end}` });
  if (namespace === 'slip44') {
    const isCoin = network.kind === 'solana' ? reference === SOLANA_COIN : COIN_TYPE.test(reference);
    return isCoin ? named(undefined, reference) : undefined;
  }
  if (namespace === 'erc20')
    return network.kind === 'eip155' && CONTRACT.test(reference) ? named(reference.toLowerCase()) : undefined;
  return network.kind === 'solana' && MINT.test(reference) ? named(reference) : undefined;
}
