import type { Ids } from '../base/ids.ts';
import type { ServiceMail } from '../model/message.ts';
import { type Organization, topLevelIdOf } from '../model/organization.ts';
import type { Writer } from '../store/types.ts';

type Wish = {
  /** The mails about one subject are sent in order: an activity, or the row that they are about. */
  about: string;
  expiresAt: number;
  mail(to: string): ServiceMail;
};

/** Leaves a mail for each root user with an address. */
export async function mailRoots(
  tx: Writer,
  organization: Organization,
  { ids, now }: { ids: Ids; now: number },
  { about, expiresAt, mail }: Wish,
): Promise<void> {
  const { id: organizationId, rootQuorum } = organization;
  const users = await Promise.all(rootQuorum.userIds.map((userId) => tx.users.get(organizationId, userId)));
  for (const to of new Set(users.flatMap((user) => user?.email ?? [])))
    await tx.outbox.insert({
      id: ids.next(),
      organizationId,
      payerId: topLevelIdOf(organization),
      activityId: about,
      topic: 'mail',
      payload: JSON.stringify(mail(to)),
      createdAt: now,
      expiresAt,
    });
}
