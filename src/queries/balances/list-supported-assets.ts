import { z } from 'zod';
import { assetNode } from '../../chain-io/sends/asset-node.ts';
import { query } from '../../engine/query/declare.ts';
import { Id } from '../../wire/common.ts';
import { Caip2 } from '../../wire/sending.ts';

export const listSupportedAssets = query({
  name: 'list_supported_assets',
  summary: 'The assets of a network whose balances are shown: its native coin, and the tokens that the operator named',
  params: z.object({ organizationId: Id, caip2: Caip2 }),
  result: z.object({
    assets: z.array(
      z.object({
        caip19: z.string(),
        symbol: z.string(),
        decimals: z.int(),
        logoUrl: z.string().optional(),
        name: z.string(),
        stable: z.boolean(),
      }),
    ),
  }),
  errors: ['REQUEST_INVALID'],
  async run({ nodes }, { caip2 }) {
    const assets = nodes.assets(assetNode(nodes, caip2));
    return {
      assets: assets.map(({ caip19, symbol, decimals, logoUrl, name, stable }) => ({
        caip19,
        symbol,
        decimals,
        ...(logoUrl !== undefined && { logoUrl }),
        name,
        stable,
      })),
    };
  },
});
