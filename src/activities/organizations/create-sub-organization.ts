import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { addUsers, verifyUsers } from '../../domain/users.ts';
import { prepareWallet, storeWallet } from '../../domain/wallets.ts';
import { activity } from '../../engine/activity/declare.ts';
import { featuresOfSubOrganization, newOrganization } from '../../model/organization.ts';
import { IdOut } from '../../wire/common.ts';
import { WalletResult } from '../../wire/wallets.ts';
import { params } from './create-sub-organization.history.ts';

const shape = z.object({ subOrganizationId: IdOut, wallet: WalletResult.optional(), rootUserIds: z.array(IdOut).optional() });

export const createSubOrganization = activity({
  kind: 'CREATE_SUB_ORGANIZATION',
  resource: 'ORGANIZATION',
  action: 'CREATE',
  summary: 'Create a sub-organization with its root users and, if wanted, a wallet',
  callers: 'top-level',
  custody: 'create',
  params,
  result: { key: 'createSubOrganizationResultV8', shape },
  oldResults: [{ until: 7, key: 'createSubOrganizationResultV7', shape, write: (result) => result }],
  errors: ['REQUEST_INVALID', 'LIMIT_EXCEEDED', 'INVALID_OIDC_TOKEN', 'OAUTH_PROVIDER_ALREADY_EXISTS'],
  async prepare(ctx, intent) {
    const { rootUsers, rootQuorumThreshold } = intent;
    if (rootQuorumThreshold > rootUsers.length) {
      throw invalid('parameters.rootQuorumThreshold', `must be at most the number of root users, ${rootUsers.length}`);
    }
    const organization = newOrganization({
      id: ctx.ids.next(),
      parentId: ctx.organization.id,
      name: intent.subOrganizationName,
      rootQuorum: { threshold: rootQuorumThreshold, userIds: [] },
      features: featuresOfSubOrganization(intent),
      createdAt: ctx.now,
    });
    const verified = await verifyUsers({ ...ctx, organization }, rootUsers, 'parameters.rootUsers');
    const wallet = intent.wallet && (await prepareWallet({ ...ctx, organization }, intent.wallet, 'parameters.wallet'));
    return { organization, rootUsers: verified, wallet };
  },
  async execute(ctx, _intent, _subject, { organization, rootUsers, wallet }) {
    const rootUserIds = await addUsers(ctx, organization, rootUsers, 'parameters.rootUsers');
    await ctx.store.organizations.insert({ ...organization, rootQuorum: { ...organization.rootQuorum, userIds: rootUserIds } });
    const made = wallet && (await storeWallet(ctx, organization, wallet, 'parameters.wallet'));
    return { subOrganizationId: organization.id, ...(made ? { wallet: made } : {}), rootUserIds };
  },
});
