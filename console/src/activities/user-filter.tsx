/** The filter by user. A name finds its users, and an id is taken as it is. */
import { useState } from 'react';
import { visible } from '../../../review/visible.ts';
import { Button } from '../parts/button.tsx';
import { Failure } from '../parts/notice.tsx';
import { read, useRead } from '../service/read.ts';
import type { User } from '../service/types.ts';
import { useSession } from '../session/state.ts';
import { Draft } from './draft.tsx';
import { fits } from './search.ts';
import { MOST_FOUND, MOST_USERS, usersCalled } from './users-called.ts';

type Search = { text: string; error?: unknown } & Partial<Awaited<ReturnType<typeof usersCalled>>>;

type Props = { id: string; value: string; set(text: string): void };

/** Names are the service's. */
function useName(userId: string) {
  const { data, error } = useRead<{ user: User }>('get_user', { userId }, { enabled: userId !== '' });
  return { name: data && visible(data.user.userName), error };
}

export function UserFilter({ id, value, set }: Props) {
  const session = useSession();
  const { name, error } = useName(value);
  const [search, setSearch] = useState<Search>();
  const choose = (userId: string) => {
    setSearch(undefined);
    set(userId);
  };
  const find = async (text: string) => {
    if (text === '' || fits('user', text)) return choose(text.toLowerCase());
    // The field is left after Enter.
    if (search?.text === text && search.error === undefined) return;
    setSearch({ text });
    try {
      const said = await usersCalled(text, (paginationOptions) =>
        read<{ users: User[] }>(session, 'list_users', { paginationOptions }),
      );
      const [only] = said.found;
      if (said.isAll && only && said.found.length === 1) choose(only.userId);
      else setSearch({ text, ...said });
    } catch (error) {
      setSearch({ text, error });
    }
  };
  const isNone = (text: string) => search?.text === text && search.found?.length === 0;
  return (
    <>
      <div>
        <label htmlFor={id}>User</label>
        <Draft
          id={id}
          value={name ?? value}
          placeholder="Name or id"
          fits={(text) => !isNone(text)}
          set={(text) => void find(text)}
        />
      </div>
      <div className="filter-more">
        <p role="status">
          {search && !search.error && <Found search={search} />}
          {!search && name !== undefined && (
            <>
              User <strong>{name}</strong> <code className="address">{value}</code>{' '}
              <span className="tag">as the service says</span>
            </>
          )}
          {!search && error && 'This organization has no such user now. What the user did is still listed.'}
        </p>
        {search?.error !== undefined && <Failure error={search.error} doing="Looking for the user" />}
        {search?.found?.slice(0, MOST_FOUND).map(({ userId, userName }) => (
          <Button key={userId} onPress={() => choose(userId)}>
            {visible(userName)} <code className="address dim">{userId}</code>
          </Button>
        ))}
      </div>
    </>
  );
}

function Found({ search: { text, found, isAll } }: { search: Search }) {
  if (found === undefined) return 'Looking for the user…';
  const where = isAll ? '' : ` among the first ${MOST_USERS.toLocaleString('en')} users. Others are found by their id`;
  if (found.length === 0) return `No name has “${visible(text)}”${where}.`;
  return `Choose a user: ${found.length > MOST_FOUND ? `the first ${MOST_FOUND} names` : 'names'} with “${visible(text)}”${where}.`;
}
