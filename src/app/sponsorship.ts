import type { Clock } from '../base/clock.ts';
import type { ChainNodes } from '../chain-io/nodes/chain-nodes.ts';
import type { Log } from '../chain-io/nodes/types.ts';
import { type GasPrices, gasPrices } from '../chain-io/sends/gas/prices.ts';
import { sponsorship } from '../chain-io/sends/gas/sponsorship.ts';
import { stations } from '../chain-io/sends/gas/stations.ts';
import type { Config } from '../config.ts';
import type { PaymasterVault } from '../custody/types.ts';
import type { SponsorshipPort } from '../engine/ports.ts';
import { guardedCalls, PROVIDER_BOUNDS } from '../outbound/guard.ts';

type Clocks = { elapsed: Clock; machine: Clock; log: Log };

/** The operator chose this address, so any address is allowed. Nothing else is reached through it: no redirect is followed. */
function allowed({ outboundAllow, gas }: Config): ReadonlySet<string> {
  if (gas.prices.url === undefined) return outboundAllow;
  const { protocol, hostname, port } = new URL(gas.prices.url);
  return new Set([...outboundAllow, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`]);
}

const BOUNDS = { ...PROVIDER_BOUNDS, milliseconds: 5000 };

export const openPrices = (config: Config, clocks: Clocks): GasPrices =>
  gasPrices({ settings: config.gas.prices, calls: guardedCalls({ allowed: allowed(config), bounds: BOUNDS }), ...clocks });

type Parts = Clocks & { config: Config; nodes: ChainNodes; paymaster: PaymasterVault };

/** The payer of sponsored sends, its networks, and its prices. Asks no server until a send is sponsored. */
export function openSponsorship({ config, nodes, paymaster, ...clocks }: Parts): SponsorshipPort {
  const { elapsed, log } = clocks;
  return sponsorship({
    organizations: config.gas.organizations,
    nodes,
    stations: stations(config.stations, elapsed),
    prices: openPrices(config, clocks),
    paymaster,
    lowMicroUsd: config.gas.lowMicroUsd,
    rentLamports: config.gas.rentLamports,
    feeLimitPercent: config.sends.feeLimitPercent,
    elapsed,
    log,
  });
}
