import type { UserVersion } from '../../../model/user.ts';
import type { Page } from '../../page.ts';
import type { Conn } from '../../statement.ts';
import { authenticatorReads } from '../credentials/authenticators.ts';
import { credentialReads } from '../credentials/credentials.ts';
import { oauthProviderReads } from '../credentials/oauth-providers.ts';
import { mfaPolicyReads } from '../policies/mfa-policies.ts';
import { tagReads } from './tags.ts';
import { userReads } from './users.ts';

/** Users with all parts of their visible state. */
export const userStateReads = (conn: Conn) => {
  const users = userReads(conn);
  const credentials = credentialReads(conn, users);
  const authenticators = authenticatorReads(conn, users);
  const providers = oauthProviderReads(conn);
  const mfaPolicies = mfaPolicyReads(conn);
  const tags = tagReads(conn);
  return {
    async get(org: string, id: string): Promise<UserVersion | undefined> {
      const user = await users.get(org, id);
      if (user === undefined) return undefined;
      // Sequential, because transactions call this too, on their one connection.
      return {
        user,
        credentials: await credentials.listByUser(org, id),
        authenticators: await authenticators.listByUser(org, id),
        oauthProviders: await providers.listByUser(org, id),
        mfaPolicies: user.mfaPolicyCount > 0 ? await mfaPolicies.listByUser(org, id) : [],
        tags: await tags.ofMember(org, id),
      };
    },
    /** In the order of creation. */
    async page(org: string, page: Page): Promise<UserVersion[]> {
      const some = await users.page(org, page);
      const [first, last] = [some.at(0)?.id, some.at(-1)?.id];
      if (first === undefined || last === undefined) return [];
      const ids = some.map(({ id }) => id);
      const haveMfa = some.some(({ mfaPolicyCount }) => mfaPolicyCount > 0);
      const [keys, passkeys, accounts, tagIds, mfa] = await Promise.all([
        credentials.ofUsers(org, first, last),
        authenticators.ofUsers(org, first, last),
        providers.ofUsers(org, first, last),
        tags.ofMembers(org, ids),
        haveMfa ? mfaPolicies.ofUsers(org, first, last) : undefined,
      ]);
      return some.map((user) => ({
        user,
        credentials: keys.get(user.id) ?? [],
        authenticators: passkeys.get(user.id) ?? [],
        oauthProviders: accounts.get(user.id) ?? [],
        mfaPolicies: mfa?.get(user.id) ?? [],
        tags: tagIds.get(user.id) ?? [],
      }));
    },
  };
};
