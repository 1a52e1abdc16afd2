import { fact, type Given, listOf, member, type Read } from '../parts.ts';
import type { Fact, Now, Warning } from '../types.ts';
import { visible } from '../visible.ts';
import { amber, red } from './parts.ts';

type User = NonNullable<Now['users']>[number];

const counted = (count: number): string =>
  count === 0
    ? 'no key or passkey that lasts'
    : count === 1
      ? '1 key or passkey that lasts'
      : `${count} keys and passkeys that last`;

/** Warnings of users who decide alone, and of keys whose loss locks the organization out. Without what the service says: by numbers alone. */
function warningsOf(threshold: unknown, ids: readonly string[], users: readonly (User | undefined)[]): Warning[] {
  const found: Warning[] = [];
  if (threshold === 1) found.push(red('decides-alone', `Each of ${ids.length} root users can then decide everything alone`));
  else if (threshold === ids.length)
    found.push(amber('one-lost-key', 'All root users must then agree: one lost key locks the organization out'));
  const lasting = users.flatMap((user) => (user?.lasting === undefined ? [] : [user.lasting]));
  if (typeof threshold !== 'number' || lasting.length < ids.length) return found;
  const able = lasting.filter((count) => count > 0).length;
  if (able < threshold)
    found.push(
      red(
        'locks-out',
        `Only ${able} of these users have a key or passkey that lasts, the service says, and ${threshold} must agree`,
      ),
    );
  else if (able === threshold && lasting.includes(1) && threshold !== ids.length)
    found.push(red('one-lost-key', 'One lost key then locks the organization out, by the credentials that the service says'));
  else if (able === 1 && ids.length === 1 && lasting[0] === 1)
    found.push(
      red('one-lost-key', 'The only root user has one credential, the service says: its loss locks the organization out'),
    );
  return found;
}

/** The root users before and after. */
export function readRootQuorum({ parameters, now }: Given): Read {
  const threshold = member(parameters, 'threshold');
  const ids = listOf(parameters, 'userIds').map(String);
  const old = now?.rootQuorum;
  const userOf = (id: string): User | undefined => now?.users?.find(({ userId }) => userId === id.toLowerCase());
  const user = (id: string, label: string): Fact => {
    const known = userOf(id);
    const alone = threshold === 1 && !label.startsWith('no ') ? 'decides everything alone' : '';
    const said = known === undefined ? '' : `“${visible(known.userName)}”, ${counted(known.lasting)}, as the service says`;
    const note = [alone, said].filter((text) => text !== '').join('; ');
    return fact(label, id, 'id', note === '' ? {} : { note });
  };
  const was = (id: string) => old === undefined || old.userIds.includes(id.toLowerCase());
  const gone = old?.userIds.filter((id) => !ids.some((each) => each.toLowerCase() === id)) ?? [];
  const facts = [
    fact(
      'root users that must agree',
      String(threshold),
      'number',
      old && String(old.threshold) !== String(threshold) ? { before: `${old.threshold} of ${old.userIds.length}` } : {},
    ),
    ...ids.map((id) => user(id, was(id) ? 'root user' : 'new root user')),
    ...gone.map((id) => user(id, 'no root user any more')),
  ];
  const title = `Let ${String(threshold)} of ${ids.length} root users decide`;
  return { title, form: 'people', facts, warnings: warningsOf(threshold, ids, ids.map(userOf)) };
}
