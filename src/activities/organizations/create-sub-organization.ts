import { z } from 'zod';
import { invalid } from '../../base/errors.ts';
import { preparePrivateKeys, storeTaggedKeys } from '../../domain/keys/private-keys.ts';
import { derivedAddresses, prepareWallet, storeWallet } from '../../domain/keys/wallets.ts';
import { useToken } from '../../domain/otp/verification-token.ts';
import { checkContacts } from '../../domain/people/contacts.ts';
import { requireNewPerson, requireWalletAlone } from '../../domain/people/no-existing-account.ts';
import { prepareSignUp } from '../../domain/people/sign-up.ts';
import { addUsers, verifyUsers } from '../../domain/people/users.ts';
import { activity } from '../../engine/activity/declare.ts';
import { featuresOfSubOrganization, newOrganization } from '../../model/organization.ts';
import { IdOut } from '../../wire/common.ts';
import { PrivateKeyResult, WalletResult } from '../../wire/wallets.ts';
import { params } from './create-sub-organization.history.ts';

const ids = { subOrganizationId: IdOut, rootUserIds: z.array(IdOut).optional() };
const shape = z.object({ ...ids, wallet: WalletResult.optional() });

/** The stored result. `privateKeys`: of version 3. */
type Made = z.output<typeof shape> & { privateKeys?: z.output<typeof PrivateKeyResult>[] };

const withoutKeys = ({ privateKeys: _, ...rest }: Made) => rest;

export const createSubOrganization = activity({
  kind: 'CREATE_SUB_ORGANIZATION',
  resource: 'ORGANIZATION',
  action: 'CREATE',
  summary: 'Create a sub-organization with its root users and, optionally, a wallet',
  submitters: { from: 'top-level' },
  secrets: ['rootUsers.oauthProviders.oidcToken', 'verificationToken'],
  custody: 'create',
  params,
  result: { key: 'createSubOrganizationResultV8', shape },
  oldResults: [
    { until: 2, key: 'createSubOrganizationResult', shape: z.object(ids), write: withoutKeys },
    {
      until: 3,
      key: 'createSubOrganizationResultV3',
      shape: z.object({ ...ids, privateKeys: z.array(PrivateKeyResult) }),
      write: (result: Made) => result,
    },
    ...[4, 5, 6, 7].map((until) => ({
      until,
      key: `createSubOrganizationResultV${until}`,
      shape,
      write: (result: Made) => result,
    })),
  ],
  errors: [
    checkContacts,
    requireWalletAlone,
    prepareSignUp,
    verifyUsers,
    prepareWallet,
    preparePrivateKeys,
    requireNewPerson,
    useToken,
    addUsers,
    storeWallet,
    storeTaggedKeys,
  ],
  check: ({ intent: { rootUsers } }) => checkContacts(rootUsers, 'parameters.rootUsers'),
  async prepare({ ctx, intent }) {
    const { rootUsers, rootQuorumThreshold } = intent;
    if (rootQuorumThreshold > rootUsers.length) {
      throw invalid('parameters.rootQuorumThreshold', `must be at most the number of root users, ${rootUsers.length}`);
    }
    requireWalletAlone(ctx, rootUsers, 'parameters.rootUsers');
    const { users, token } = await prepareSignUp(ctx, intent);
    const organization = newOrganization({
      id: ctx.ids.next(),
      parentId: ctx.organization.id,
      name: intent.subOrganizationName,
      rootQuorum: { threshold: rootQuorumThreshold, userIds: [] },
      features: featuresOfSubOrganization(intent),
      createdAt: ctx.now,
    });
    const inside = { ...ctx, organization };
    const verified = await verifyUsers(inside, users, 'parameters.rootUsers');
    const wallet = intent.wallet && (await prepareWallet(inside, intent.wallet, 'parameters.wallet'));
    const keys = intent.privateKeys && preparePrivateKeys(inside, intent.privateKeys, 'parameters.privateKeys');
    return { organization, rootUsers: verified, wallet, keys, token };
  },
  derived: ({ wallet }) => derivedAddresses(wallet?.accounts ?? []),
  async execute({ ctx, prepared: { organization, rootUsers, wallet, keys, token } }): Promise<Made> {
    await requireNewPerson(ctx, rootUsers, 'parameters.rootUsers');
    if (token !== undefined) await useToken(ctx, token, 'signup');
    const rootUserIds = await addUsers(ctx, organization, rootUsers, 'parameters.rootUsers');
    await ctx.store.organizations.insert({ ...organization, rootQuorum: { ...organization.rootQuorum, userIds: rootUserIds } });
    const made = wallet && (await storeWallet(ctx, organization, wallet, 'parameters.wallet'));
    const privateKeys = keys && (await storeTaggedKeys(ctx, organization, keys, 'parameters.privateKeys'));
    return {
      subOrganizationId: organization.id,
      ...(made && { wallet: made }),
      ...(privateKeys && { privateKeys }),
      rootUserIds,
    };
  },
});
