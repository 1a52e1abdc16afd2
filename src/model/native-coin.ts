import type { Asset } from './asset.ts';
import type { Network } from './caip2.ts';
import { COIN_DECIMALS } from './gas.ts';

type Coin = readonly [coinType: number, symbol: string, name: string];

const ETHER: Coin = [60, 'ETH', 'Ether'];
const POL: Coin = [966, 'POL', 'POL'];
const BNB: Coin = [714, 'BNB', 'BNB'];
const MON: Coin = [268435779, 'MON', 'Monad'];
const USDC: Coin = [60, 'USDC', 'USDC'];

/** By chain id, with coin types of SLIP-44. Arc pays for gas in USDC, and has no coin type: it has the one of its accounts' paths. */
const COINS: Readonly<Record<string, Coin>> = {
  1: ETHER,
  10: ETHER,
  56: BNB,
  97: BNB,
  137: POL,
  143: MON,
  1337: ETHER,
  4663: ETHER,
  5042: USDC,
  8453: ETHER,
  10143: MON,
  31337: ETHER,
  42161: ETHER,
  46630: ETHER,
  80002: POL,
  84532: ETHER,
  421614: ETHER,
  5042002: USDC,
  11155111: ETHER,
  11155420: ETHER,
};

/** Tempo has no native coin: its nodes answer eth_getBalance with an invented number. */
const COINLESS = new Set(['4217', '42431']);

/** The native coin of a network. A chain that is not known here has a neutral name, until the operator gives another. */
export function nativeCoin(network: Network): Asset | undefined {
  const { kind, caip2 } = network;
  const of = ([coinType, symbol, name]: Coin): Asset => ({
    caip19: `${caip2}/slip44:${coinType}`,
    symbol,
    name,
    decimals: COIN_DECIMALS[kind],
    stable: symbol === 'USDC',
    token: undefined,
  });
  if (kind === 'solana') return of([501, 'SOL', 'Solana']);
  const id = String(network.chainId);
  return COINLESS.has(id) ? undefined : of(COINS[id] ?? [60, 'NATIVE', `Native coin of ${caip2}`]);
}
