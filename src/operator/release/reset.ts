import { type Quarantine, within } from '../../model/quarantine.ts';
import { NEVER } from '../../model/send.ts';
import type { Reader, Writer } from '../../store/types.ts';
import { MOST_ACCOUNTS, openSends } from './open-sends.ts';

/** Whether an open send of before is dated after `now`: its original had the wrong time too. */
async function hasLater(read: Reader, now: number, { sendsBefore }: Quarantine): Promise<boolean> {
  const { sendAccounts } = read;
  for (const key of await sendAccounts.due(await sendAccounts.networks(), NEVER - 1, MOST_ACCOUNTS))
    if ((await openSends(read, key, sendsBefore ?? 0)).some(({ createdAt }) => createdAt >= now)) return true;
  return false;
}

/** The first start of a copy may have been in the wrong future. Its limits would then last until that time. */
export async function resetQuarantine(tx: Writer, now: number): Promise<void> {
  const found = await tx.instance.quarantine();
  if (found === undefined) return;
  await tx.instance.setQuarantine(within(found, now, await hasLater(tx, now, found)));
}
