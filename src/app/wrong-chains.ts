import type { ChainNodes } from '../chain-io/nodes/chain-nodes.ts';
import type { OperatorWarning } from './clock-warning.ts';

/** Any client may ask `/ready`: only the log has the endpoint's host, and its network. */
export const wrongChains = (nodes: Pick<ChainNodes, 'look'>): OperatorWarning[] =>
  nodes.look().map((endpoint) => ({
    code: 'WRONG_CHAIN',
    message: `RPC endpoint ${endpoint} belongs to another network and is not used: correct the setting of its URL. The log has details`,
  }));
