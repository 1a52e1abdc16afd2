import { withNodes } from '../../app/chain-nodes-of.ts';
import type { Config } from '../../config.ts';
import { type Found, ok, problem, warning } from './finding.ts';

const SEE = 'correct the URL, or the provider’s account: see countersign chain show';

/** Asks every RPC endpoint for its chain and its latest block. */
export async function checkChains(config: Config): Promise<Found[]> {
  if (config.chains.length === 0) return [ok('no network has an RPC URL, so that nothing is sent')];
  return withNodes(config, async (nodes) => {
    const all = nodes.networks.map(async (caip2): Promise<Found[]> => {
      const states = await nodes.chainNode(caip2)!.status();
      const bad = states.filter(({ trouble, lags }) => trouble !== undefined || lags);
      if (bad.length === 0) return [ok(`${caip2}: ${states.map(({ endpoint }) => endpoint).join(', ')}`)];
      // The others take its place.
      const make = bad.length === states.length ? problem : warning;
      return bad.map(({ endpoint, trouble }) => make(`${caip2}: ${endpoint}: ${trouble ?? 'its latest block is old'}`, SEE));
    });
    return (await Promise.all(all)).flat();
  });
}
