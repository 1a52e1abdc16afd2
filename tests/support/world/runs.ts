import { randomBytes } from 'node:crypto';
import { initPrivateKeyImport, initWalletImport, sealKey, sealMnemonic } from '../../activities/custody.ts';
import { invitation, type Link, linkOf, mailsOf } from '../../activities/invitations/support.ts';
import { SoftAuthenticator } from '../authenticator.ts';
import { resultOf } from '../client.ts';
import type { Instance } from '../instance.ts';
import { newHome, newTopLevel } from './homes.ts';
import { newAccount } from './issuer.ts';
import type { Home, Things } from './kinds.ts';

/** What the link of a new invitation says. */
async function invited({ home }: Things): Promise<Omit<Link, 'organizationId'>> {
  const invitations = [invitation(`guest ${randomBytes(6).toString('hex')}`, home.userId)];
  const made = await home.client.submit('CREATE_INVITATIONS', { invitations });
  const [invitationId] = resultOf(made, 'createInvitationsResult').invitationIds;
  const mail = (await mailsOf(home.instance)).find((one) => one.invitationId === invitationId);
  const { organizationId: _, ...link } = linkOf(mail!);
  return link;
}

/** What a sample cannot know of the parameters that complete an operation, by type, kind or query name. */
export const RUNS: Readonly<Record<string, (things: Things) => object | Promise<object>>> = {
  IMPORT_WALLET: async ({ home }) => {
    const bundle = await initWalletImport(home);
    return { encryptedBundle: await sealMnemonic(home, bundle, `${'abandon '.repeat(11)}about`) };
  },
  IMPORT_PRIVATE_KEY: async ({ home }) => {
    const bundle = await initPrivateKeyImport(home);
    return { encryptedBundle: await sealKey(home, bundle, randomBytes(32).toString('hex')) };
  },
  CREATE_OAUTH_PROVIDERS: () => ({ oauthProviders: [{ providerName: 'New', oidcToken: newAccount().oidcToken }] }),
  ACTIVITY_TYPE_ACCEPT_INVITATION: async (things) => {
    const { secret, ...named } = await invited(things);
    return { ...named, authenticator: new SoftAuthenticator().registerV1(named.userId, { challenge: secret }) };
  },
  ACCEPT_INVITATION: async (things) => {
    const { secret, ...named } = await invited(things);
    return { ...named, authenticator: new SoftAuthenticator().register({ challenge: secret }) };
  },
  UPDATE_ROOT_QUORUM: ({ home }) => ({ threshold: 1, userIds: [home.userId] }),
  DELETE_SUB_ORGANIZATION: () => ({ deleteWithoutExport: true }),
  DELETE_WALLETS: () => ({ deleteWithoutExport: true }),
  DELETE_WALLET_ACCOUNTS: () => ({ deleteWithoutExport: true }),
  DELETE_PRIVATE_KEYS: () => ({ deleteWithoutExport: true }),
};

/** Where an operation is carried out that the root organization is not for: on itself, for the last time. */
export const PLACES: Readonly<Record<string, (instance: Instance) => Promise<Home>>> = {
  DELETE_ORGANIZATION: (instance) => newTopLevel(instance, 'To be deleted'),
  DELETE_SUB_ORGANIZATION: (instance) => newHome(instance, 'To be deleted'),
};
