import { z } from 'zod';
import { privateKeysOf } from '../../domain/listings.ts';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { PrivateKeyOut } from '../../wire/wallets.ts';

export const listPrivateKeys = query({
  name: 'list_private_keys',
  summary: 'Standalone private keys of the organization, in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ privateKeys: z.array(PrivateKeyOut) }),
  errors: [],
  run: async ({ organization, read }, { paginationOptions }) => listing(privateKeysOf(read, organization.id), paginationOptions),
});
