/** People who have signed up, and as many who have not. Their names do not tell which. */
import { randomBytes } from 'node:crypto';
import { uuidV7 } from '../../src/base/ids.ts';
import { systemRandom } from '../../src/base/random.ts';
import { newOrganization } from '../../src/model/organization.ts';
import { newUser } from '../../src/model/user.ts';
import { openStore } from '../../src/store/store.ts';

export type People = { known: string[]; unknown: string[] };

const newEmail = (): string => `${randomBytes(8).toString('hex')}@example.com`;

/** Writes accounts into a database that no service uses now. Backends make unverified ones, and sign-ups by a code verified ones. */
export async function signedUp(folder: string, parentId: string, count: number, emailVerified = true): Promise<People> {
  const store = openStore({ folder, poolSize: 1 });
  const ids = uuidV7({ now: () => Date.now() - 3_600_000 }, systemRandom);
  const known = Array.from({ length: count }, newEmail);
  try {
    await store.transaction(async (tx) => {
      for (const email of known) {
        const [organizationId, userId] = [ids.next(), ids.next()];
        const times = { createdAt: Date.now() - 3_600_000, updatedAt: Date.now() - 3_600_000 };
        const rootQuorum = { threshold: 1, userIds: [userId] };
        await tx.organizations.insert(newOrganization({ id: organizationId, parentId, name: email, rootQuorum, ...times }));
        await tx.users.insert(newUser({ id: userId, organizationId, parentId, name: email, email, emailVerified, ...times }));
      }
    });
  } finally {
    await store.close();
  }
  return { known, unknown: Array.from({ length: count }, newEmail) };
}
