import type { Activity, ActivityStatus, Vote } from '../../model/activity.ts';
import type { ActivityOutcome, Evaluated, Writer } from '../../store/types.ts';
import type { Custody, OutboxEvent, VaultFor } from '../context.ts';
import type { Decision } from '../decision/authorize.ts';
import { named } from '../decision/named.ts';
import { StaleDecisionError } from '../decision/stale.ts';
import type { Engine } from '../engine.ts';
import type { MessagePort, OidcPort } from '../ports.ts';
import { factsOf, type RequestContext } from '../request/context.ts';
import { withDeclaredErrors } from './declared-errors.ts';
import type { ResolvedActivity } from './decode.ts';
import { newAuditEntry } from './rows.ts';
import { storedActivity, storedPayload } from './sealed.ts';

/** An activity that a request creates or votes on. */
export type Execution = {
  request: RequestContext;
  decoded: ResolvedActivity;
  activity: Activity;
  /** Absent if the activity is new, or a user who has already voted asks again. */
  vote?: Vote | undefined;
  /** The policy outcomes, stored with every vote that policies were evaluated for. */
  decision: Pick<Decision, 'policyEvaluations'>;
  /** Further writes of the same transaction: an approval's own record. */
  also?: ((tx: Writer) => Promise<void>) | undefined;
};

/** What becomes of an activity that waited. */
const EVENTS: { readonly [S in ActivityStatus]?: string } = {
  ACTIVITY_STATUS_COMPLETED: 'activity.completed',
  ACTIVITY_STATUS_FAILED: 'activity.failed',
  ACTIVITY_STATUS_REJECTED: 'activity.rejected',
};

const VOTED = { VOTE_SELECTION_APPROVED: 'vote.approved', VOTE_SELECTION_REJECTED: 'vote.rejected' };

/** Runs a new activity and writes it atomically with its effects. Throws StaleDecisionError. */
export async function executeNew(engine: Engine, execution: Execution): Promise<Activity> {
  const prepared = await prepare(engine, execution);
  if (execution.decoded.kind.writes) return inTransaction(engine, execution, prepared, true);
  // Only the record is written, so no transaction is needed: that write checks the version.
  const { request, decoded, activity } = execution;
  const context = { ...everywhere(engine, request, decoded.kind.custody), read: request.read };
  const result = await run(engine, decoded, context, prepared);
  const done: Activity = { ...activity, status: 'ACTIVITY_STATUS_COMPLETED', result: JSON.stringify(result) };
  await recordNew(engine, execution, done);
  return done;
}

/** The same for a waiting activity that this vote completes. */
export async function completeWaiting(engine: Engine, execution: Execution): Promise<Activity> {
  return inTransaction(engine, execution, await prepare(engine, execution), false);
}

/** Writes a new activity, finished or waiting, in one guarded write. Throws StaleDecisionError. */
export async function recordNew({ store, vault }: Engine, execution: Execution, activity: Activity): Promise<void> {
  const { request, decoded, decision } = execution;
  const row = storedActivity(vault, decoded.kind, decoded.timestampMs, activity);
  const written = await store.record({ activity: row, facts: factsOf(request), evaluations: evaluated(decision) });
  if (written !== 'written') throw new StaleDecisionError();
}

type Settled = Omit<ActivityOutcome, 'factsVersion'>;

/** Records a vote and the outcome of its activity. Throws StaleDecisionError. */
export function settle({ store, ids }: Engine, execution: Execution, settled: Settled): Promise<Activity> {
  return store.transaction(async (tx) => {
    const { request, activity } = execution;
    const outcome = { ...settled, factsVersion: request.organization.version };
    await checkFacts(tx, request);
    await execution.also?.(tx);
    await castVote(tx, ids, execution);
    if (!(await tx.activities.finish(activity, outcome, request.now))) throw new StaleDecisionError();
    const event = outcome.status === activity.status ? undefined : EVENTS[outcome.status];
    if (event) await tx.audit.insert(newAuditEntry(ids, request, activity.id, event));
    return { ...activity, ...outcome, updatedAt: request.now, version: activity.version + 1 };
  });
}

/** Makes only the further writes (`also`) of an execution. Throws StaleDecisionError. */
export function note({ store }: Engine, execution: Execution): Promise<void> {
  return store.transaction(async (tx) => {
    await checkFacts(tx, execution.request);
    await execution.also?.(tx);
  });
}

/** A request that asks others brings no write meanwhile: no commit waits for it. */
const asideOf = ({ oidc, load }: Engine): OidcPort => ({
  async verify(tokens, question) {
    load.submits--;
    try {
      return await oidc.verify(tokens, question);
    } finally {
      load.submits++;
    }
  },
});

const messagesAside = ({ messages: { mail, sms }, load }: Engine): MessagePort => ({
  sms,
  mail: {
    ...mail,
    async reaches(domain) {
      load.submits--;
      try {
        return await mail.reaches(domain);
      } finally {
        load.submits++;
      }
    },
  },
});

async function prepare(engine: Engine, { request, decoded: { kind, intent } }: Execution): Promise<unknown> {
  return withDeclaredErrors(engine, { name: kind.kind, errors: kind.errors }, () => {
    kind.check?.({ policies: engine.compiler }, intent);
    const { read } = request;
    const { custody } = kind;
    return kind.prepare?.(
      { ...everywhere(engine, request, custody), read, oidc: asideOf(engine), messages: messagesAside(engine) },
      intent,
    );
  });
}

/** Calls the activity's own code. */
async function run(engine: Engine, decoded: ResolvedActivity, context: object, prepared: unknown): Promise<unknown> {
  const { kind, intent } = decoded;
  const subject = await decoded.subject();
  return withDeclaredErrors(engine, { name: kind.kind, errors: kind.errors }, () =>
    kind.execute(context as Parameters<typeof kind.execute>[0], intent, subject, prepared),
  );
}

async function inTransaction(engine: Engine, execution: Execution, prepared: unknown, isNew: boolean): Promise<Activity> {
  const { request, decoded, activity } = execution;
  const { organization, now } = request;
  const { store, ids, vault } = engine;
  const row = storedActivity(vault, decoded.kind, decoded.timestampMs, activity);
  // Read before the transaction, which awaits only the store.
  await decoded.subject();
  return store.transaction(async (tx) => {
    if (isNew && !(await tx.activities.insert(row, evaluated(execution.decision)))) throw new StaleDecisionError();
    await checkFacts(tx, request);
    await execution.also?.(tx);
    await castVote(tx, ids, execution);
    const events: OutboxEvent[] = [];
    const after = (event: OutboxEvent) => void events.push(event);
    const database = decoded.kind.writes ? { store: tx, after } : { read: tx };
    const context = { ...everywhere(engine, request, decoded.kind.custody), ...database };
    const result = JSON.stringify(await run(engine, decoded, context, prepared));
    const outcome = { status: 'ACTIVITY_STATUS_COMPLETED', result, failure: null, factsVersion: organization.version } as const;
    if (!(await tx.activities.finish(activity, outcome, now))) throw new StaleDecisionError();
    if (!isNew) await tx.audit.insert(newAuditEntry(ids, request, activity.id, 'activity.completed'));
    for (const event of events) {
      const message = { id: ids.next(), organizationId: organization.id, activityId: activity.id, createdAt: now };
      const { topic, expiresAt = null } = event;
      await tx.outbox.insert({ ...message, topic, payload: storedPayload(vault, message, event), expiresAt });
    }
    return { ...activity, ...outcome, updatedAt: now, version: activity.version + 1 };
  });
}

async function checkFacts(tx: Writer, { organization }: RequestContext): Promise<void> {
  // An organization that this very activity makes has version 0 until then.
  if (((await tx.organizations.hold(organization.id)) ?? 0) !== organization.version) throw new StaleDecisionError();
}

async function castVote(tx: Writer, ids: Engine['ids'], { request, activity, vote, decision }: Execution): Promise<void> {
  if (vote === undefined) return;
  if (!(await tx.activities.insertVote(vote, evaluated(decision)))) throw new StaleDecisionError();
  await tx.audit.insert(newAuditEntry(ids, request, activity.id, VOTED[vote.selection]));
}

/** The evaluations to store, without policies that the index ruled out: those can be listed at any time. */
function evaluated({ policyEvaluations }: Execution['decision']): Evaluated | undefined {
  if (policyEvaluations.length === 0) return undefined;
  const noted = policyEvaluations.filter((e) => e.outcome !== 'OUTCOME_DENY_IMPLICIT' || 'reason' in e);
  const evaluations = named(noted);
  const more = noted.length - evaluations.length;
  return more === 0 ? { evaluations } : { evaluations, more };
}

function everywhere(engine: Engine, { organization, now }: RequestContext, custody: Custody) {
  const { ids, log, limits, compiler, baseUrl, tokens } = engine;
  const vault = vaultFor(engine, custody, organization.id);
  return { organization, vault, now, ids, log, policies: compiler, limits, baseUrl, tokens };
}

/** Limits an activity to the custody that it declared, at run time too. Called only once the activity is allowed. */
function vaultFor({ vault }: Engine, custody: Custody, organizationId: string): VaultFor<Custody> {
  switch (custody) {
    case 'none':
      return undefined;
    case 'tokens':
      return vault.tokens;
    case 'sign':
      return vault.signing;
    case 'create':
      return vault.creating;
    case 'import':
      return vault.importing;
    case 'one-time':
      return vault.oneTime;
    case 'export':
      return vault.permitExport(organizationId);
  }
}
