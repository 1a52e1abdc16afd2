import { QUIET, withNodes } from '../app/chain-nodes-of.ts';
import { paymasterAddresses } from '../app/service-keys.ts';
import { openPrices } from '../app/sponsorship.ts';
import { CommandFailed } from '../base/command-failed.ts';
import type { ChainNode } from '../chain-io/nodes/chain-nodes.ts';
import type { GasPrices } from '../chain-io/sends/gas/prices.ts';
import { problemOf, stationAt } from '../chain-io/sends/gas/stations.ts';
import { type Config, ConfigError } from '../config.ts';
import type { PaymasterAddresses } from '../custody/paymaster.ts';
import { COIN_DECIMALS, formatPrice, formatUsd, microUsdOf } from '../model/gas.ts';
import { withReader } from './offline-store.ts';

/** The value, or why it is missing. */
type Told<T> = T | { problem: string };

/** The current state of a network. Amounts and prices are decimal texts. */
export type ShownChain = {
  network: string;
  /** By host. `head`: its latest block. */
  endpoints: Told<{ endpoint: string; head: string | null; lags: boolean; trouble: string | null }[]>;
  /** In coins, and their value. `isLow`: the log warns. */
  paymaster: Told<{ address: string; balance: string; usd: string | null; isLow: boolean }>;
  /** Of one coin, in USD. */
  price: Told<{ usd: string }>;
  /** Null on Solana, which needs none. */
  station: Told<{ station: string; delegate: string }> | null;
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

async function told<T>(work: Promise<T>): Promise<Told<T>> {
  try {
    return await work;
  } catch (error) {
    return { problem: textOf(error) };
  }
}

async function endpointsOf(node: ChainNode) {
  const states = await node.status();
  return states.map(({ endpoint, head, lags, trouble }) => ({
    endpoint,
    head: head === undefined ? null : String(head),
    lags,
    trouble: trouble ?? null,
  }));
}

async function priceOf(prices: GasPrices, caip2: string) {
  const usdE18 = await prices.of(caip2);
  if (usdE18 === undefined) throw new CommandFailed('the price of its coin is unknown: set GAS_PRICES_USD or GAS_PRICES_URL');
  return { usd: formatPrice(usdE18), usdE18 };
}

async function paymasterOf(node: ChainNode, addresses: Told<PaymasterAddresses>, price: Told<{ usdE18: bigint }>, low: number) {
  if ('problem' in addresses) throw new CommandFailed(addresses.problem);
  const address = addresses[node.kind];
  const decimals = COIN_DECIMALS[node.kind];
  const units = await (node.kind === 'eip155' ? node.balance(address as `0x${string}`) : node.balance(address));
  const microUsd = 'problem' in price ? undefined : microUsdOf(units, { usdE18: price.usdE18, decimals });
  return {
    address,
    balance: formatPrice(units * 10n ** BigInt(18 - decimals)),
    usd: microUsd === undefined ? null : formatUsd(microUsd),
    isLow: microUsd === undefined ? units === 0n : microUsd < low,
  };
}

async function stationOf(config: Config, node: ChainNode & { kind: 'eip155' }) {
  const station = stationAt(config.stations, node.caip2);
  const problem = await problemOf(node, station);
  if (problem !== undefined) throw new CommandFailed(problem);
  return station;
}

async function shown(
  config: Config,
  node: ChainNode,
  prices: GasPrices,
  addresses: Told<PaymasterAddresses>,
): Promise<ShownChain> {
  const price = await told(priceOf(prices, node.caip2));
  const [endpoints, paymaster, station] = await Promise.all([
    told(endpointsOf(node)),
    told(paymasterOf(node, addresses, price, config.gas.lowMicroUsd)),
    node.kind === 'eip155' ? told(stationOf(config, node)) : null,
  ]);
  return { network: node.caip2, endpoints, paymaster, price: 'problem' in price ? price : { usd: price.usd }, station };
}

/** The served networks, and whether sends on them can be sponsored. Beside a service, or without one. */
export async function showChains(config: Config): Promise<ShownChain[]> {
  const addresses = await told(
    withReader(config, 'nothing was shown', async (read) => paymasterAddresses(await read.instance.serviceKeys())),
  );
  if (config.chains.length === 0)
    throw new ConfigError('no network has an RPC URL: set RPC_URL_EIP155_1 or another, see docs/sending.md');
  return withNodes(config, (nodes) => {
    const prices = openPrices(config, QUIET);
    return Promise.all(nodes.networks.map((caip2) => shown(config, nodes.chainNode(caip2)!, prices, addresses)));
  });
}
