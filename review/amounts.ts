import { parseCaip2 } from '../src/model/caip2.ts';
import { nativeCoin } from '../src/model/native-coin.ts';
import { grouped } from './grouped.ts';

/** A native coin: `unit` for whole coins. Without one, amounts are in the smallest unit. */
export type Coin = { readonly unit: string; readonly decimals: number };

/** Exact: no digit is lost, and none is added. */
export function whole(amount: bigint, decimals: number): string {
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, '0');
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  const units = digits.slice(0, digits.length - decimals);
  return `${amount < 0n ? '-' : ''}${grouped(units)}${decimals === 0 || fraction === '' ? '' : `.${fraction}`}`;
}

const NAMES: Readonly<Record<string, string>> = {
  1: 'Ethereum',
  10: 'OP Mainnet',
  56: 'BNB Smart Chain',
  137: 'Polygon',
  4217: 'Tempo',
  5042: 'Arc',
  8453: 'Base',
  31337: 'local test network',
  42161: 'Arbitrum One',
  42431: 'Tempo testnet',
  43114: 'Avalanche',
  80002: 'Polygon Amoy',
  84532: 'Base Sepolia',
  421614: 'Arbitrum Sepolia',
  11155111: 'Sepolia',
};

export const evmNetworkName = (chainId: bigint): string => {
  const name = NAMES[String(chainId)];
  return name === undefined ? `eip155:${chainId}` : `${name} (eip155:${chainId})`;
};

export function evmCoin(chainId: bigint): Coin {
  const coin = nativeCoin({ kind: 'eip155', caip2: `eip155:${chainId}`, chainId });
  // An unknown chain may count in other units.
  if (coin === undefined || coin.symbol === 'NATIVE')
    return { unit: chainId === 0n ? 'wei' : `wei of eip155:${chainId}`, decimals: 0 };
  return { unit: coin.symbol, decimals: coin.decimals };
}

/** The chain id of a CAIP-2 name; undefined if it names no EVM chain. */
export function chainIdOf(caip2: string): bigint | undefined {
  const network = parseCaip2(caip2);
  return network?.kind === 'eip155' ? network.chainId : undefined;
}

/** The name of an EVM chain in the form of CAIP-2. '' for none. */
export const chainOf = (chainId: bigint): string => (chainId === 0n ? '' : `eip155:${chainId}`);

export const SOL: Coin = { unit: 'SOL', decimals: 9 };
export const BTC: Coin = { unit: 'BTC', decimals: 8 };
export const TRX: Coin = { unit: 'TRX', decimals: 6 };
