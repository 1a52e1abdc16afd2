import { type HeldAccount, holdOf, type Quarantine } from '../../model/quarantine.ts';
import { type AccountKey, NEVER, type Send } from '../../model/send.ts';
import type { Reader } from '../../store/types.ts';

const FIRST = 1_000;
/** Far more accounts than an instance has with open sends. */
export const MOST_ACCOUNTS = 10_000_000;

/** Accounts with work are due at some time. In quarantine no process changes that. */
export async function openAccounts({ sendAccounts }: Reader, found: Quarantine): Promise<AccountKey[]> {
  const all = await sendAccounts.due(await sendAccounts.networks(), NEVER - 1, MOST_ACCOUNTS);
  return all.filter((key) => holdOf(found, key) !== undefined);
}

/** The sends of an account that have not ended and were accepted before a time. `included` ones are in a block already. */
export async function openSends({ sendsOfAccount }: Reader, key: AccountKey, before: number): Promise<Send[]> {
  const all: Send[] = [];
  for (const state of ['queued', 'signed', 'sent'] as const)
    for (let limit = FIRST; ; limit *= 2) {
      const found = await sendsOfAccount.due(key, state, NEVER, limit);
      if (found.length === limit) continue;
      all.push(...found.filter(({ createdAt }) => createdAt < before));
      break;
    }
  return all;
}

/** More accounts of one network are held together. */
const MOST_HELD = 100;

/** What the quarantine's row keeps: it stays small. */
export function bounded(held: readonly HeldAccount[]): HeldAccount[] {
  return [...Map.groupBy(held, ({ caip2 }) => caip2)].flatMap(([caip2, some]) =>
    some.length > MOST_HELD ? [{ caip2, account: '', why: some[0]!.why }] : some,
  );
}
