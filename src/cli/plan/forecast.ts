import { CommandFailed } from '../../base/command-failed.ts';
import type { Service } from './ask.ts';
import type { Plan } from './make.ts';
import type { PolicyChange } from './policies.ts';
import { isOf, waitingOf } from './waiting.ts';

/** Past activities that a policy would decide otherwise. `isCut`: older ones were not looked at. */
export type Replayed = {
  name: string;
  examined: number;
  isCut: boolean;
  differing: { activityId: string; type: string; before: string; after: string }[];
  wrong?: string;
};

/** What the service expects of the plan. A member is undefined if the service does not have that query. */
export type Forecast = {
  outcomes: (string | undefined)[];
  replayed: Replayed[] | undefined;
  /** Requests that wait for approvals, of an earlier plan or of others. `step`: the request of this plan that it is. */
  waiting?: { activityId: string; type: string; fingerprint: string; step?: number }[];
};

const MOST_SIMULATED = 200;
const MOST_PAGES = 20;
const MOST_REPLAYED = 100;

/** What the service would decide about each request, in their order. */
async function simulated(service: Service, { steps }: Plan, tell: (text: string) => void): Promise<(string | undefined)[]> {
  const outcomes: (string | undefined)[] = [];
  for (const [i, { operation, parameters }] of steps.slice(0, MOST_SIMULATED).entries()) {
    tell(`simulates request ${i + 1} of ${steps.length}`);
    const answer = await service.ask('simulate_activity', { type: service.typeOf(operation), parameters });
    if (answer === undefined) return [];
    outcomes.push(String(answer.outcome).replace('OUTCOME_', ''));
  }
  return outcomes;
}

/** A policy that is deleted decides as one that is never true. */
function draftOf({ before, after }: PolicyChange) {
  const { effect, condition, consensus, time } = after ?? { ...before!, condition: 'false' };
  return { ...(before && { policyId: before.id }), effect, condition, consensus, time };
}

async function replayedOf(service: Service, change: PolicyChange): Promise<Replayed | undefined> {
  const found: Replayed = { name: change.name, examined: 0, isCut: false, differing: [] };
  let after: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    let answer: Record<string, unknown> | undefined;
    try {
      answer = await service.ask('replay_policy', { ...draftOf(change), ...(after !== undefined && { after }) });
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      return { ...found, wrong: error.message };
    }
    if (answer === undefined) return undefined;
    found.examined += Number(answer.examined);
    found.differing.push(...(answer.activities as Replayed['differing']));
    if (answer.next === undefined) return found;
    after = String(answer.next);
  }
  return { ...found, isCut: true };
}

/** An old request is done when it is approved, whatever the files say by then. So the plan names those that it has not. */
async function waitingFor(service: Service, { steps }: Plan): Promise<NonNullable<Forecast['waiting']>> {
  const all = await waitingOf(service);
  return all.map((activity) => {
    const step = steps.findIndex((one) => isOf(service, one, activity));
    const { id, type, fingerprint } = activity;
    return { activityId: id, type, fingerprint, ...(step >= 0 && { step }) };
  });
}

/** Asks what would be decided about the requests, and what the policies would have decided about the past. Nothing is written. */
export async function forecastOf(service: Service, plan: Plan, tell: (text: string) => void): Promise<Forecast> {
  const waiting = await waitingFor(service, plan);
  const outcomes = await simulated(service, plan, tell);
  const decisive = plan.changes.filter(({ isDecisive }) => isDecisive).slice(0, MOST_REPLAYED);
  const replayed: Replayed[] = [];
  for (const [i, change] of decisive.entries()) {
    tell(`replays policy ${i + 1} of ${decisive.length} over the past activities`);
    const one = await replayedOf(service, change);
    if (one === undefined) return { outcomes, replayed: undefined, waiting };
    replayed.push(one);
  }
  return { outcomes, replayed, waiting };
}
