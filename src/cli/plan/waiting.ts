import { CommandFailed } from '../../base/command-failed.ts';
import type { Service } from './ask.ts';
import { canonical } from './canonical.ts';
import { isId } from './state.ts';
import { OPERATIONS, type Step } from './step.ts';

export type Activity = {
  id: string;
  status: string;
  type: string;
  fingerprint: string;
  intent: Record<string, unknown>;
  result: Record<string, Record<string, unknown>>;
  failure?: { message: string };
};

/** The fingerprint is shown in a command that people paste. */
export function activityIn(value: unknown, asked: string): Activity {
  const activity = value as Partial<Activity> | null | undefined;
  if (!isId(activity?.id) || !/^sha256:[0-9a-f]{64}$/.test(String(activity.fingerprint)))
    throw new CommandFailed(
      `the answer to ${asked} has no activity with an id and a fingerprint: is this the address of the service?`,
    );
  return activity as Activity;
}

/** Requests as `apply` sends them that still wait, of anyone. */
export async function waitingOf(service: Service): Promise<Activity[]> {
  const filterByType = OPERATIONS.map((operation) => service.typeOf(operation));
  const filterByStatus = ['ACTIVITY_STATUS_CONSENSUS_NEEDED', 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED'];
  const found: Activity[] = [];
  for (let after: string | undefined, page = 0; page < 100; page += 1) {
    const paginationOptions = { limit: '100', ...(after !== undefined && { after }) };
    const answer = await service.ask('list_activities', { filterByType, filterByStatus, paginationOptions });
    const some = ((answer?.activities ?? []) as unknown[]).map((one) => activityIn(one, 'list_activities'));
    found.push(...some);
    after = some.at(-1)?.id;
    if (after === undefined) break;
  }
  return found;
}

/** The same request: it is not sent twice. */
export const isOf = (service: Service, { operation, parameters }: Step, { type, intent }: Activity): boolean =>
  type === service.typeOf(operation) && canonical(Object.values(intent)[0]) === canonical(parameters);
