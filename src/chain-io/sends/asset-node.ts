import { ApiError, invalid, Unreachable } from '../../base/errors.ts';
import { addressFormat } from '../../chains/index.ts';
import type { NodesPort } from '../../engine/ports.ts';
import { parseCaip2 } from '../../model/caip2.ts';
import type { Reader } from '../../store/types.ts';
import { type Held, NoBalanceError } from '../nodes/balances.ts';
import type { ChainNode } from '../nodes/chain-nodes.ts';
import { NoNodeError, RpcError } from '../nodes/types.ts';
import { asUnreachable } from './no-node.ts';

/** The node of a network of any kind. Throws REQUEST_INVALID if it is not served. */
export function assetNode(nodes: NodesPort, caip2: string): ChainNode {
  const node = nodes.chainNode(caip2);
  if (node !== undefined) return node;
  const network = parseCaip2(caip2);
  const chain = network?.kind === 'solana' ? `SOLANA_${network.cluster.toUpperCase()}` : `EIP155_${network?.chainId}`;
  throw invalid('caip2', `${caip2} is not served here: its operator can serve it with the setting RPC_URL_${chain}`);
}

const FORMATS = { eip155: 'ADDRESS_FORMAT_ETHEREUM', solana: 'ADDRESS_FORMAT_SOLANA' } as const;

/** The address of a wallet account, as the account has it. Throws NOT_FOUND for any other. */
export async function walletAddress(
  read: Pick<Reader, 'signers'>,
  organizationId: string,
  { kind }: ChainNode,
  address: string,
): Promise<string> {
  const format = FORMATS[kind];
  const account = addressFormat(format)!.normalize(address);
  if (await read.signers.isOfWallet(organizationId, account, format)) return account;
  throw new ApiError(
    'NOT_FOUND',
    `wallet account not found: no wallet of this organization has an account of ${format} with the address ${address}`,
  );
}

/** What an account holds. Throws `Unreachable` if not all of it is known. */
export async function heldAt(nodes: NodesPort, node: ChainNode, account: string, organizationId: string): Promise<Held[]> {
  try {
    return await nodes.balances.of(node, account, { assets: nodes.assets(node), organizationId });
  } catch (error) {
    if (error instanceof NoNodeError) throw asUnreachable(error);
    if (error instanceof RpcError) throw new Unreachable(`no RPC endpoint of ${node.caip2} gives all balances`);
    if (error instanceof NoBalanceError)
      throw new Unreachable(
        `${error.asset.caip19} answers balanceOf with an error, or with something that is no balance`,
        'the operator must correct or remove it in the file of TOKENS; then send the same body again',
      );
    throw error;
  }
}
