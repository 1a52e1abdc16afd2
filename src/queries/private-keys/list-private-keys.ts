import { z } from 'zod';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import type { PrivateKey } from '../../model/keys.ts';
import type { Page } from '../../store/types.ts';
import { Id, Pagination } from '../../wire/common.ts';
import { PrivateKeyOut, viewPrivateKey } from '../../wire/wallets.ts';

export const listPrivateKeys = query({
  name: 'list_private_keys',
  summary: 'Standalone private keys of the organization, in the order of their creation: all, or a page',
  params: z.object({ organizationId: Id, paginationOptions: Pagination.optional() }),
  result: z.object({ privateKeys: z.array(PrivateKeyOut) }),
  errors: [],
  async run({ organization, read }, { paginationOptions }) {
    async function show(keys: readonly PrivateKey[]) {
      const ids = keys.map(({ id }) => id);
      const [signers, tags] = await Promise.all([
        read.signers.ofKeys(organization.id, ids),
        read.tags.ofMembers(organization.id, ids),
      ]);
      return keys.map((key) => viewPrivateKey(key, signers.get(key.id) ?? [], tags.get(key.id) ?? []));
    }
    const page = (page: Page) => read.privateKeys.page(organization.id, page);
    return listing({ name: 'privateKeys', page, show }, paginationOptions);
  },
});
