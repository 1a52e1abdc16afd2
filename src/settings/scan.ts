import { parseCaip2 } from '../model/caip2.ts';
import type { ChainSettings } from './chains.ts';
import type { Environment } from './names.ts';
import { ConfigError, whole } from './read.ts';

export type ScanSettings = {
  /** The canonical names of the chains that are scanned. */
  networks: readonly string[];
  /** The number of addresses that are watched on each Solana network. */
  solanaAddresses: number;
};

/** Throws ConfigError. */
export function scanSettings(env: Environment, chains: readonly ChainSettings[]): ScanSettings {
  const names = (env.SCAN ?? '').split(/[\s,]+/).filter((name) => name !== '');
  const networks = names.map((name) => {
    const caip2 = parseCaip2(name)?.caip2;
    if (caip2 === undefined)
      throw new ConfigError(`SCAN must be CAIP-2 names of networks, such as eip155:1, separated by commas: "${name}" is not one`);
    if (!chains.some(({ network }) => network.caip2 === caip2))
      throw new ConfigError(`SCAN names ${caip2}, which has no RPC endpoint: add one to RPC_URLS, or remove it from SCAN`);
    return caip2;
  });
  return {
    networks: [...new Set(networks)],
    solanaAddresses: whole(env, 'SCAN_SOLANA_ADDRESSES', 1000, 1, 100_000),
  };
}

export const shownScan = ({ networks, solanaAddresses }: ScanSettings): Record<string, string | number> => ({
  SCAN: networks.join(',') || '(unset: no chain is scanned)',
  SCAN_SOLANA_ADDRESSES: solanaAddresses,
});
