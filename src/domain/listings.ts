import type { Source } from '../engine/query/listing.ts';
import type { PrivateKey } from '../model/keys.ts';
import type { UserVersion } from '../model/user.ts';
import type { Page, Reader } from '../store/types.ts';
import { viewUser } from '../wire/users.ts';
import { viewPrivateKey } from '../wire/wallets.ts';

/** The lists that several queries return, as rows and how they are shown. */

type UserRow = { id: string; state: UserVersion };

export const usersOf = (read: Reader, organizationId: string) =>
  ({
    name: 'users',
    page: async (page: Page): Promise<UserRow[]> =>
      (await read.userStates.page(organizationId, page)).map((state) => ({ id: state.user.id, state })),
    show: (rows: readonly UserRow[]) => rows.map(({ state }) => viewUser(state)),
  }) satisfies Source<'users', UserRow, unknown, string>;

export const privateKeysOf = (read: Reader, organizationId: string) =>
  ({
    name: 'privateKeys',
    page: (page: Page) => read.privateKeys.page(organizationId, page),
    async show(keys: readonly PrivateKey[]) {
      const ids = keys.map(({ id }) => id);
      const [signers, tags] = await Promise.all([
        read.signers.ofKeys(organizationId, ids),
        read.tags.ofMembers(organizationId, ids),
      ]);
      return keys.map((key) => viewPrivateKey(key, signers.get(key.id) ?? [], tags.get(key.id) ?? []));
    },
  }) satisfies Source<'privateKeys', PrivateKey, unknown, string>;
