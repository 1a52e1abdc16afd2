/** Filters of the list of activities. They are in the address alone. */
import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import type { Zone } from '../app/look.ts';
import { Button } from '../parts/button.tsx';
import { statusText } from '../parts/status.tsx';
import { Draft } from './draft.tsx';
import { type ActivitySearch, fits, STATUSES } from './search.ts';
import { typesOfActivities } from './types.ts';
import { UserFilter } from './user-filter.tsx';

/** The start of a day in the shown time zone, as the service takes times. `later`: the number of days after it. */
function dayOf(text: string | undefined, zone: Zone, later: number): string | undefined {
  const [year, month, day] = (text ?? '').split('-').map(Number);
  if (year === undefined || month === undefined || day === undefined) return undefined;
  const start = zone === 'utc' ? Date.UTC(year, month - 1, day + later) : new Date(year, month - 1, day + later).getTime();
  return String(start);
}

/** The parameters of list_activities. */
export function parametersOf({ status, type, user, after, before }: ActivitySearch, zone: Zone): Record<string, unknown> {
  const [createdAfter, createdBefore] = [dayOf(after, zone, 0), dayOf(before, zone, 1)];
  return {
    ...(status ? { filterByStatus: [`ACTIVITY_STATUS_${status}`] } : {}),
    ...(type ? { filterByType: typesOfActivities(type) } : {}),
    ...(user ? { filterByUserId: user } : {}),
    ...(createdAfter ? { createdAfter } : {}),
    ...(createdBefore ? { createdBefore } : {}),
  };
}

export function ActivityFilters({ search }: { search: ActivitySearch }) {
  const navigate = useNavigate({ from: '/activities' });
  const id = useId();
  const set = (name: keyof ActivitySearch, value: string) =>
    void navigate({ search: ({ [name]: _, ...others }) => ({ ...others, ...(value ? { [name]: value } : {}) }), replace: true });
  const field = (name: keyof ActivitySearch) => ({
    id: `${id}${name}`,
    value: search[name] ?? '',
    fits: (text: string) => fits(name, text),
    set: (text: string) => set(name, text),
  });
  return (
    <search className="filters">
      <div>
        <label htmlFor={`${id}status`}>Status</label>
        <select
          id={`${id}status`}
          value={search.status ?? ''}
          onChange={({ currentTarget }) => set('status', currentTarget.value)}
        >
          <option value="">all</option>
          {STATUSES.map((status) => (
            <option key={status} value={status.slice(16)}>
              {statusText(status)}
            </option>
          ))}
        </select>
      </div>
      <div>
        <label htmlFor={`${id}type`}>Kind</label>
        <Draft {...field('type')} placeholder="SIGN_TRANSACTION" className="mono" />
      </div>
      <UserFilter {...field('user')} />
      <div>
        <label htmlFor={`${id}after`}>From</label>
        <Draft {...field('after')} type="date" />
      </div>
      <div>
        <label htmlFor={`${id}before`}>To</label>
        <Draft {...field('before')} type="date" />
      </div>
      {Object.keys(search).length > 0 && (
        <Button kind="quiet" onPress={() => void navigate({ search: {}, replace: true })}>
          Clear
        </Button>
      )}
    </search>
  );
}
