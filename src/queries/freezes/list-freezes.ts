import { z } from 'zod';
import { wireTimestamp } from '../../base/time.ts';
import { query } from '../../engine/query/declare.ts';
import { listing } from '../../engine/query/listing.ts';
import type { Freeze as Row } from '../../model/freeze.ts';
import { Id } from '../../wire/common.ts';
import { Freeze } from '../../wire/freezes.ts';

const namesOf = ({ target, id }: Row) => {
  if (target === 'user') return { userId: id };
  if (target === 'wallet') return { walletId: id };
  return target === 'private key' ? { privateKeyId: id } : { organization: true as const };
};

export const listFreezes = query({
  name: 'list_freezes',
  summary: 'The users, wallets, private keys and perhaps the organization that are frozen, with time, reason and activity',
  params: z.object({ organizationId: Id }),
  result: z.object({ freezes: z.array(Freeze) }),
  errors: [],
  run: async ({ organization, read }) =>
    listing(
      {
        name: 'freezes',
        page: (page) => read.freezes.page(organization.id, page),
        show: (some) =>
          some.map((row) => ({
            ...namesOf(row),
            reason: row.reason,
            keepSends: row.keepsSends,
            activityId: row.activityId,
            frozenByUserId: row.userId,
            createdAt: wireTimestamp(row.createdAt),
          })),
      },
      undefined,
    ),
});
