/** Filters of the list of activities. They are in the address alone. */
import { useNavigate } from '@tanstack/react-router';
import { useId } from 'react';
import { Button } from '../parts/button.tsx';
import { statusText } from '../parts/status.tsx';
import { type ActivitySearch, STATUSES } from './search.ts';
import { typesOfActivities } from './types.ts';

/** A day of the browser's calendar, as the service takes times. */
const dayOf = (text: string | undefined, later: number): string | undefined => {
  const day = text === undefined ? Number.NaN : Date.parse(`${text}T00:00:00`);
  return Number.isNaN(day) ? undefined : String(day + later);
};

const DAY_MS = 86_400_000;

/** The parameters of list_activities. */
export function parametersOf({ status, type, user, after, before }: ActivitySearch): Record<string, unknown> {
  const [createdAfter, createdBefore] = [dayOf(after, 0), dayOf(before, DAY_MS)];
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
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => set(name, currentTarget.value),
  });
  return (
    <search className="filters">
      <div>
        <label htmlFor={`${id}status`}>Status</label>
        <select {...field('status')}>
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
        <input {...field('type')} placeholder="SIGN_TRANSACTION" className="mono" spellCheck="false" autoComplete="off" />
      </div>
      <div>
        <label htmlFor={`${id}user`}>User’s id</label>
        <input {...field('user')} className="mono" spellCheck="false" autoComplete="off" />
      </div>
      <div>
        <label htmlFor={`${id}after`}>From</label>
        <input type="date" {...field('after')} />
      </div>
      <div>
        <label htmlFor={`${id}before`}>To</label>
        <input type="date" {...field('before')} />
      </div>
      {Object.keys(search).length > 0 && (
        <Button kind="quiet" onPress={() => void navigate({ search: {}, replace: true })}>
          Clear
        </Button>
      )}
    </search>
  );
}
