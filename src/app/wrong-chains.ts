import type { ChainNodes } from '../nodes/chain-nodes.ts';
import type { OperatorWarning } from './clock-warning.ts';

/** Anybody may ask `/ready`: the log alone has the endpoint's host, and the network it is of. */
export const wrongChains = (nodes: Pick<ChainNodes, 'look'>): OperatorWarning[] =>
  nodes.look().map((endpoint) => ({
    code: 'WRONG_CHAIN',
    message: `RPC endpoint ${endpoint} is of another network, and is not used: mend the setting of its URL. The log says more`,
  }));
