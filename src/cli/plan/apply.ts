import { CommandFailed } from '../../base/command-failed.ts';
import { jsonOf, refusalOf, type Service } from './ask.ts';
import { canonical } from './canonical.ts';
import type { Plan } from './make.ts';
import { placeholdersIn } from './names.ts';
import { isId, policiesOf } from './state.ts';
import { GROUPS, type Step } from './step.ts';
import { textsOf, withKnown } from './texts.ts';
import { type Activity, activityIn, isOf, waitingOf } from './waiting.ts';

export type Waiting = { title: string; activityId: string; fingerprint: string };
export type Applied = { done: { title: string; activityId: string }[]; waiting: Waiting[] };

export type Applying = {
  service: Service;
  /** How long approvals are waited for. */
  waitMs: number;
  now(): number;
  sleep(ms: number): Promise<unknown>;
  tell(text: string): void;
};

const EVERY_MS = 2000;
const ENDED = ['ACTIVITY_STATUS_FAILED', 'ACTIVITY_STATUS_REJECTED'];
const isDone = ({ status }: Activity): boolean => status === 'ACTIVITY_STATUS_COMPLETED';

async function sent(service: Service, { operation, title }: Step, parameters: object): Promise<Activity> {
  const reply = await service.send(operation, parameters);
  if (reply.status >= 400) throw new CommandFailed(`refused: ${title}: ${refusalOf(reply)}`);
  return activityIn(jsonOf(reply, operation).activity, operation);
}

/** Waits until the activities have ended, at most until `until`. */
async function waitedFor(activities: Activity[], { service, now, sleep, tell }: Applying, until: number): Promise<Activity[]> {
  let current = activities;
  while (current.some((one) => !isDone(one) && !ENDED.includes(one.status)) && now() < until) {
    tell(`waits for approvals of ${current.filter((one) => !isDone(one)).length} requests`);
    await sleep(EVERY_MS);
    current = await Promise.all(
      current.map(async (one) => {
        if (isDone(one) || ENDED.includes(one.status)) return one;
        const answer = await service.ask('get_activity', { activityId: one.id });
        return answer === undefined ? one : activityIn(answer.activity, 'get_activity');
      }),
    );
  }
  return current;
}

/** The placeholders of what was created, with the ids in the result. */
function learn({ creates }: Step, { result }: Activity, learnt: Map<string, string>): void {
  const ids = Object.values(Object.values(result)[0] ?? {}).flatMap((value) => (Array.isArray(value) ? value : [value]));
  for (const [i, placeholder] of creates.entries()) if (isId(ids[i])) learnt.set(placeholder, ids[i]);
}

/**
 * Sends the requests of a plan. If it ends at any request, the next plan begins from what was reached. A group begins when all requests
 * of the one before are done, if policies are still as they left them. `outcome` grows, so that a failure leaves what was done.
 */
export async function applied(plan: Plan, applying: Applying, outcome: Applied = { done: [], waiting: [] }): Promise<Applied> {
  const { service } = applying;
  const until = applying.now() + applying.waitMs;
  const pending = await waitingOf(service);
  const learnt = new Map<string, string>();
  const expected = new Map(plan.live.policies.map((policy) => [policy.name, canonical(textsOf(policy))]));
  for (const group of GROUPS) {
    const steps = plan.steps.filter((one) => one.group === group).map((one) => withKnown(one, learnt));
    if (steps.length === 0) continue;
    if (outcome.done.length > 0) await requireUnchanged(service, expected);
    const activities: Activity[] = [];
    let current = activities;
    try {
      for (const one of steps)
        activities.push(await asked(one, plan, pending, applying, outcome.done.length + activities.length));
      current = await waitedFor(activities, applying, until);
    } finally {
      for (const [i, activity] of current.entries()) record(steps[i]!, activity, outcome);
    }
    const ended = current.findIndex(({ status }) => ENDED.includes(status));
    if (ended >= 0) {
      const { id, status, failure } = current[ended]!;
      throw new CommandFailed(`not done: ${steps[ended]!.title}: activity ${id} has ended: ${failure?.message ?? status}`);
    }
    if (outcome.waiting.length > 0) return outcome;
    for (const [i, one] of steps.entries()) {
      learn(one, current[i]!, learnt);
      for (const { name, texts } of one.writes)
        if (texts === undefined) expected.delete(name);
        else expected.set(name, canonical(texts));
    }
  }
  return outcome;
}

function record({ title }: Step, activity: Activity, { done, waiting }: Applied): void {
  const { id, fingerprint, status } = activity;
  if (isDone(activity)) done.push({ title, activityId: id });
  else if (!ENDED.includes(status)) waiting.push({ title, activityId: id, fingerprint });
}

/** Sends a request, unless an earlier run sent it and it waits. */
async function asked(
  one: Step,
  plan: Plan,
  pending: readonly Activity[],
  { service, tell }: Applying,
  before: number,
): Promise<Activity> {
  tell(`request ${before + 1} of ${plan.steps.length}: ${one.title}`);
  const { parameters } = one;
  const made = plan.steps.flatMap(({ creates }) => creates);
  if (placeholdersIn(parameters).some((id) => made.includes(id)))
    throw new CommandFailed(`not sent: ${one.title}: the service gave no id for what an earlier request created`);
  return pending.find((each) => isOf(service, one, each)) ?? (await sent(service, one, parameters));
}

/** Others may change policies while approvals are waited for. */
async function requireUnchanged(service: Service, expected: ReadonlyMap<string, string>): Promise<void> {
  const current = await policiesOf(service);
  const changed = current.find((policy) => expected.get(policy.name) !== canonical(textsOf(policy)));
  const names = new Set(current.map(({ name }) => name));
  const gone = [...expected.keys()].find((name) => !names.has(name));
  const name = changed?.name ?? gone;
  if (name !== undefined)
    throw new CommandFailed(`the policy "${name}" was changed by another request: look at a new plan, then apply it`);
}
