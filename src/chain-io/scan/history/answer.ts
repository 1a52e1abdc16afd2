import { Unreachable } from '../../../base/errors.ts';
import type { NodesPort } from '../../../engine/ports.ts';
import type { Page, Reader } from '../../../store/types.ts';
import { viewHistoryParts } from '../../../wire/history.ts';
import type { ChainNode } from '../../nodes/chain-nodes.ts';
import { NoNodeError, RpcError } from '../../nodes/types.ts';
import { asUnreachable } from '../../sends/no-node.ts';
import { type HistoryItem, type HistoryOf, historyPage } from './page.ts';

/** The native coin, in which fees are paid. A chain without one has the coin type of Ethereum. */
const feeAssetOf = (nodes: NodesPort, node: ChainNode): string =>
  nodes.assets(node).find(({ token }) => token === undefined)?.caip19 ?? `${node.caip2}/slip44:60`;

async function ownOf(read: Reader, { send }: HistoryItem) {
  if (send === undefined) return undefined;
  const activity = await read.activities.get(send.organizationId, send.activityId);
  return { send, fingerprint: activity?.fingerprint };
}

type Asked = { read: Reader; nodes: NodesPort; node: ChainNode; of: HistoryOf; page: Page };

/** A page of a history, with the parts that are alike on all chains. Throws RATE_LIMIT_EXCEEDED, and Unreachable if nodes do not answer. */
export async function historyAnswer({ read, nodes, node, of, page }: Asked) {
  const giveBack = nodes.histories(of.organizationId);
  try {
    const { items, pageInfo } = await historyPage(read, of, page);
    const feeCaip19 = feeAssetOf(nodes, node);
    const viewed = items.map(async (item) => {
      const { row } = item;
      return { row, parts: viewHistoryParts({ row, own: await ownOf(read, item), feeCaip19 }) };
    });
    return { items: await Promise.all(viewed), pageInfo };
  } catch (error) {
    if (error instanceof NoNodeError) throw asUnreachable(error);
    if (error instanceof RpcError) throw new Unreachable(`no RPC endpoint of ${node.caip2} shows all transactions of the page`);
    throw error;
  } finally {
    giveBack();
  }
}
