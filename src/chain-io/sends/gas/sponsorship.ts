import type { Clock } from '../../../base/clock.ts';
import { ApiError } from '../../../base/errors.ts';
import type { PaymasterVault } from '../../../custody/types.ts';
import type { SponsorshipPort } from '../../../engine/ports.ts';
import type { Network } from '../../../model/caip2.ts';
import { COIN_DECIMALS, type CoinPrice } from '../../../model/gas.ts';
import type { ChainNode, ChainNodes } from '../../nodes/chain-nodes.ts';
import type { EvmNode } from '../../nodes/evm/node.ts';
import type { Log } from '../../nodes/types.ts';
import { lowBalance } from './low-balance.ts';
import type { GasPrices } from './prices.ts';
import type { Stations } from './stations.ts';

type Parts = {
  /** Undefined: all. */
  organizations: ReadonlySet<string> | undefined;
  nodes: ChainNodes;
  stations: Stations;
  prices: GasPrices;
  paymaster: Pick<PaymasterVault, 'address'>;
  lowMicroUsd: number;
  rentLamports: bigint;
  feeLimitPercent: number;
  elapsed: Clock;
  log: Log;
};

const NOT_NAMED =
  'gas sponsorship is not enabled for this organization: the operator of this service names the sponsored organizations in GAS_SPONSORED_ORGANIZATIONS';

const unavailable = (caip2: string, why: string) =>
  new ApiError('SPONSORSHIP_UNAVAILABLE', `gas is not sponsored on ${caip2}: ${why}`);

export function sponsorship({
  organizations,
  nodes,
  stations,
  prices,
  paymaster,
  lowMicroUsd,
  rentLamports,
  feeLimitPercent,
  elapsed,
  log,
}: Parts): SponsorshipPort {
  const look = lowBalance({ lowMicroUsd, address: paymaster.address, elapsed, log });

  function nodeOf({ caip2 }: Network): ChainNode {
    const node = nodes.chainNode(caip2);
    if (node === undefined) throw unavailable(caip2, 'it has no RPC endpoint');
    return node;
  }

  async function priceOf({ kind, caip2 }: Network): Promise<CoinPrice> {
    const usdE18 = await prices.of(caip2);
    if (usdE18 === undefined)
      throw unavailable(caip2, 'the price of its coin is unknown. The operator sets GAS_PRICES_USD or GAS_PRICES_URL');
    return { usdE18, decimals: COIN_DECIMALS[kind] };
  }

  return {
    feeLimitPercent,
    isPaymaster: (account) => account === paymaster.address('eip155'),
    stationOf: async (network) => stations.of(nodeOf(network) as EvmNode),
    // The network decides the kind of sponsor, as its type says.
    async sponsorOf(network, payerId): Promise<never> {
      if (organizations !== undefined && !organizations.has(payerId)) throw new ApiError('SPONSORSHIP_DISABLED', NOT_NAMED);
      const node = nodeOf(network);
      const [price, station] = await Promise.all([priceOf(network), node.kind === 'eip155' ? stations.of(node) : undefined]);
      look(node, price);
      const more = station === undefined ? { rentLamports } : { ...station, feeLimitPercent };
      return { paymaster: paymaster.address(node.kind), price, ...more } as never;
    },
  };
}
