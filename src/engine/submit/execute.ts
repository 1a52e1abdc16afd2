import { ApiError } from '../../base/errors.ts';
import type { Activity, ActivityStatus } from '../../model/activity.ts';
import { isProxy } from '../../model/auth-proxy.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import type { Spend } from '../../model/velocity-spend.ts';
import type { ActivityOutcome, Evaluated, HeldOrganization, Writer } from '../../store/types.ts';
import type { ResolvedActivity } from '../activity/decode.ts';
import { RefusalThatWrites } from '../activity/refusal-that-writes.ts';
import { review } from '../activity/review.ts';
import { storedActivity, storedPayload, storedResult } from '../activity/sealed.ts';
import { signs } from '../activity/usage.ts';
import type { Custody, ExecuteContext, OutboxEvent } from '../context.ts';
import { named } from '../decision/named.ts';
import { StaleDecisionError } from '../decision/stale.ts';
import { aside, type Engine } from '../engine.ts';
import type { MessagePort, Oauth2Exchange, OidcPort, OnRampAsked } from '../ports.ts';
import { factsOf, type RequestContext } from '../request/context.ts';
import { activityEvent, tell } from './activity-events.ts';
import { provesActivity, signProofs } from './app-proofs.ts';
import { vaultFor } from './custody.ts';
import { checkDeclared, withDeclaredErrors } from './declared-errors.ts';
import type { Execution } from './execution.ts';
import { overQuota } from './quota.ts';
import { failureOf, newAuditEntry } from './rows.ts';
import { submitterOf } from './submitter.ts';

/** The event for each outcome of an activity that waited. */
const EVENTS: { readonly [S in ActivityStatus]?: string } = {
  ACTIVITY_STATUS_COMPLETED: 'activity.completed',
  ACTIVITY_STATUS_FAILED: 'activity.failed',
  ACTIVITY_STATUS_REJECTED: 'activity.rejected',
};

const VOTED = { VOTE_SELECTION_APPROVED: 'vote.approved', VOTE_SELECTION_REJECTED: 'vote.rejected' };

/**
 * Runs a new activity and writes it atomically with its effects. It is written as failed if it kept its writes (`RefusalThatWrites`). Throws
 * StaleDecisionError.
 */
export async function executeNew(engine: Engine, execution: Execution): Promise<Activity> {
  const prepared = await unlessWritten(engine, execution, prepare(engine, execution));
  const proves = provesActivity(engine, execution);
  if (execution.decoded.kind.writes || proves)
    return unlessWritten(engine, execution, inTransaction(engine, execution, prepared, true));
  // Only the record is written, so no transaction is needed: that write checks the version.
  const { request, decoded, activity } = execution;
  const context = { ...everywhere(engine, execution), read: request.read };
  const result = await run(engine, decoded, context, prepared);
  if (result instanceof RefusalThatWrites) throw result.error;
  const done: Activity = {
    ...activity,
    status: 'ACTIVITY_STATUS_COMPLETED',
    result: storedResult(engine.vault, decoded.kind, activity, result),
  };
  await recordNew(engine, execution, done);
  return done;
}

/**
 * A limit may refuse a body because the same body, sent at the same time, has used it. The body is then looked up again. Other refusals
 * are stored, which finds the other one. Throws StaleDecisionError.
 */
async function unlessWritten<T>({ store }: Engine, { request }: Execution, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const isTemporary = error instanceof ApiError && error.retryAfterMs !== undefined;
    const { organization, fingerprint } = request;
    if (isTemporary && (await store.read.activities.byFingerprint(organization.id, fingerprint))) throw new StaleDecisionError();
    throw error;
  }
}

/** The same for a waiting activity that this vote completes. */
export async function completeWaiting(engine: Engine, execution: Execution): Promise<Activity> {
  const { request, activity } = execution;
  const completed = { ...execution, submitter: await submitterOf(request.read, request.caller.organization, activity) };
  return inTransaction(engine, completed, await prepare(engine, completed), false);
}

/** The same for an activity that the operator left in the database. */
export const completeOperators = (engine: Engine, execution: Execution): Promise<Activity> =>
  inTransaction(engine, execution, undefined, false);

/** What the activity adds to velocity controls if it is executed. */
async function spendsOf({ decoded, decision }: Execution): Promise<readonly Spend[]> {
  return (await decoded.measured?.())?.spends(decision.controls ?? []) ?? [];
}

/** Throws VELOCITY_CONTROL_EXCEEDED or VELOCITY_NOT_READABLE if a control that binds every signer does not allow the activity. */
export async function requireVelocity({ measured }: ResolvedActivity): Promise<void> {
  const refusal = (await measured?.())?.refusal();
  if (refusal !== undefined) throw refusal;
}

/** Writes a new activity, finished or waiting, in one guarded write. Throws StaleDecisionError. */
export async function recordNew(engine: Engine, execution: Execution, activity: Activity): Promise<void> {
  const { store, vault, listening } = engine;
  const { request, decoded, decision } = execution;
  const row = storedActivity(vault, decoded, activity);
  const { organization, now } = request;
  const isSigned = activity.status === 'ACTIVITY_STATUS_COMPLETED' && signs(decoded.kind);
  const isCounted = activity.status === 'ACTIVITY_STATUS_COMPLETED' && decoded.measured !== undefined;
  const spends = isCounted ? await spendsOf(execution) : [];
  const record = {
    ...{ activity: row, facts: factsOf(request), signs: isSigned, evaluations: evaluated(decision) },
    ...(spends.length > 0 && { spends }),
  };
  const eventOf = () => activityEvent(engine, store.read, { organization, decoded, activity, now });
  let written = await store.record(listening.expected(organization.id, now) ? { ...record, event: await eventOf() } : record);
  if (written === 'unheard') {
    listening.expect(organization.id, now);
    written = await store.record({ ...record, event: await eventOf() });
  }
  if (written === 'over quota') throw await overQuota(store.read, organization, now);
  if (written !== 'written') throw new StaleDecisionError(written === 'stale' ? request.organization.id : undefined);
}

type Settled = Omit<ActivityOutcome, 'factsVersion'>;

/** Records a vote and the outcome of its activity. Throws StaleDecisionError. */
export function settle(engine: Engine, execution: Execution, settled: Settled): Promise<Activity> {
  const { store, ids } = engine;
  return store.transaction(async (tx) => {
    const { request, activity } = execution;
    const outcome = { ...settled, factsVersion: request.organization.version };
    const { listeners } = await checkFacts(tx, request);
    await writeAlso(tx, execution, listeners);
    await writeVote(tx, ids, execution);
    if (!(await tx.activities.finish(activity, outcome, request.now))) throw new StaleDecisionError(activity.organizationId);
    const event = outcome.status === activity.status ? undefined : EVENTS[outcome.status];
    if (event) await tx.audit.insert(newAuditEntry(ids, request, activity.id, event));
    const settledNow = { ...activity, ...outcome, updatedAt: request.now, version: activity.version + 1 };
    if (outcome.status !== activity.status) await tell(engine, tx, execution, settledNow, listeners);
    return settledNow;
  });
}

/** Makes only the further writes (`also`) of an execution. Throws StaleDecisionError. */
export function note({ store }: Engine, execution: Execution): Promise<void> {
  return store.transaction(async (tx) => {
    const { listeners } = await checkFacts(tx, execution.request);
    await writeAlso(tx, execution, listeners);
  });
}

/** Operations that only `prepare` may use, because they take time. */
function outsideOf(engine: Engine, { request, activity: { fingerprint, userId } }: Execution) {
  const { organization, read, caller } = request;
  const { oidc, oauth2, onRamp, billing, messages, addressProblem } = engine;
  // If another user's vote completes the activity, the submitter's address is unknown.
  const address = userId === caller.user.id ? request.address : undefined;
  // A caller without a stamp, who comes through the auth proxy, must not delay callers who have one.
  const shareOf = (payer: string) => (isProxy(caller) ? `proxy ${payer}` : payer);
  const payer = shareOf(topLevelIdOf(organization));
  const on = { payer, activity: `${organization.id} ${fingerprint}` };
  const oidcAside: OidcPort = {
    ...oidc,
    verify: (tokens, question) => aside(engine, () => oidc.verify(tokens, { ...question, payer: shareOf(question.payer) })),
  };
  const { mail } = messages;
  const messagesAside: MessagePort = {
    ...messages,
    mail: { ...mail, reaches: (domain) => aside(engine, () => mail.reaches(domain)) },
  };
  return {
    read,
    asking: engine.asking,
    messages: messagesAside,
    billing,
    oidc: oidcAside,
    oauth2User: (exchange: Oauth2Exchange) => aside(engine, () => oauth2.authenticate(exchange, on)),
    onRampPage: (asked: OnRampAsked) => aside(engine, () => onRamp.page(asked, { payer, address })),
    addressProblem: (url: string) => aside(engine, () => addressProblem(url, { payer })),
  };
}

async function prepare(engine: Engine, execution: Execution): Promise<unknown> {
  const { kind, intent } = execution.decoded;
  const outside = (): Promise<unknown> | undefined =>
    kind.prepare?.({ ctx: { ...everywhere(engine, execution), ...outsideOf(engine, execution) }, intent });
  return withDeclaredErrors(engine, { name: kind.kind, errors: kind.errors }, () => {
    const reviewed = examine(engine, execution);
    return reviewed === undefined ? outside() : reviewed.then(outside);
  });
}

/** Refuses parameters that are wrong whatever the database holds, and reviews those of a new body. */
export function examine(engine: Engine, { request, decoded, warnings }: Execution): Promise<void> | undefined {
  const { compiler: policies, decisions } = engine;
  decoded.kind.check?.({ ctx: { policies }, intent: decoded.intent });
  if (warnings === undefined || decoded.kind.review === undefined) return undefined;
  const { organization, read } = request;
  return review({ organization, read, policies, environment: decisions.environment, nodes: engine.nodes }, decoded, warnings);
}

/** Calls the activity's own code. */
async function run(
  engine: Engine,
  decoded: ResolvedActivity,
  ctx: ExecuteContext<Custody, boolean>,
  prepared: unknown,
): Promise<unknown> {
  const { kind, intent } = decoded;
  const subject = await decoded.subject();
  const operation = { name: kind.kind, errors: kind.errors };
  const result = await withDeclaredErrors(engine, operation, () => kind.execute({ ctx, intent, subject, prepared }));
  if (result instanceof RefusalThatWrites) checkDeclared(engine, operation, result.error);
  return result;
}

async function inTransaction(engine: Engine, execution: Execution, prepared: unknown, isNew: boolean): Promise<Activity> {
  const { request, decoded, activity } = execution;
  const { organization, now } = request;
  const { store, ids, vault } = engine;
  const row = storedActivity(vault, decoded, activity);
  // Read before the transaction, because the transaction awaits only the store.
  await decoded.subject();
  const appProofs = provesActivity(engine, execution) ? await signProofs(engine, execution, prepared) : undefined;
  // SQLite locks no rows, so there a check before the first write is the better one.
  const isCheckedLast = isNew && store.engine === 'postgres' && decoded.kind.checksLast(decoded.intent);
  const spends = await spendsOf(execution);
  return store.transaction(async (tx) => {
    let listeners = isCheckedLast ? 0 : await checkSigning(tx, execution);
    await writeAlso(tx, execution, listeners);
    await writeVote(tx, ids, execution);
    const events: OutboxEvent[] = [];
    const after = (event: OutboxEvent) => void events.push(event);
    const reserves = spends.some(({ isReserved }) => isReserved);
    const database = decoded.kind.writes
      ? { store: tx, activityId: activity.id, stampedWith: activity.credentialId, reserves, after }
      : { read: tx };
    const context = { ...everywhere(engine, execution), ...database };
    const result = await run(engine, decoded, context, prepared);
    const outcome = {
      ...(result instanceof RefusalThatWrites
        ? keptOutcome(result, execution, isNew)
        : completed(storedResult(vault, decoded.kind, activity, result))),
      factsVersion: organization.version,
    };
    // Before the row of the activity, for which a record of others may wait.
    if (isCheckedLast) listeners = await checkSigning(tx, execution);
    // Last of its own writes, so that a new activity is one row, written once.
    if (isNew) {
      if (!(await tx.activities.insert({ ...row, ...outcome }, evaluated(execution.decision)))) throw new StaleDecisionError();
    } else if (!(await tx.activities.finish(activity, outcome, now))) throw new StaleDecisionError(organization.id);
    if (appProofs && outcome.status === 'ACTIVITY_STATUS_COMPLETED') await tx.appProofs.insert(appProofs);
    if (!isNew) await tx.audit.insert(newAuditEntry(ids, request, activity.id, EVENTS[outcome.status]!));
    for (const event of events) {
      const message = { id: ids.next(), organizationId: organization.id, activityId: activity.id, createdAt: event.dueAt ?? now };
      const { topic, expiresAt = null } = event;
      const payerId = topLevelIdOf(organization);
      await tx.outbox.insert({ ...message, payerId, topic, payload: storedPayload(vault, message, event), expiresAt });
    }
    if (
      spends.length > 0 &&
      outcome.status === 'ACTIVITY_STATUS_COMPLETED' &&
      !(await tx.velocityCounters.count(organization.id, activity.id, spends, now))
    )
      throw new StaleDecisionError(organization.id);
    const done = { ...activity, ...outcome, ...(!isNew && { updatedAt: now, version: activity.version + 1 }) };
    await tell(engine, tx, execution, done, listeners);
    return done;
  });
}

const completed = (result: string): Settled => ({ status: 'ACTIVITY_STATUS_COMPLETED', result, failure: null });

/** A new activity is refused to its submitter. A voter on a waiting activity is told its outcome. */
function keptOutcome({ error }: RefusalThatWrites, { request, activity }: Execution, isNew: boolean): Settled {
  const failure = isNew ? failureOf(error.about(activity.id), request.caller.user.id) : failureOf(error);
  return { status: 'ACTIVITY_STATUS_FAILED', result: '', failure };
}

const NOT_HELD: HeldOrganization = { version: 0, listeners: 0, overQuotaUntil: 0 };

/**
 * Every transaction locks the parent first, so that transactions cannot deadlock. Returns the row of the organization that the
 * activity runs in.
 */
async function checkFacts(tx: Writer, request: RequestContext): Promise<HeldOrganization> {
  let found = NOT_HELD;
  for (const { organizationId, version } of factsOf(request)) {
    const held = await tx.organizations.hold(organizationId);
    // An organization that this activity creates has version 0 until then.
    if ((held?.version ?? 0) !== version) throw new StaleDecisionError(organizationId);
    found = held ?? NOT_HELD;
  }
  return found;
}

/** The same for an activity that is executed. Returns the listeners. Throws SIGNING_QUOTA_EXCEEDED. */
async function checkSigning(tx: Writer, { request, decoded }: Execution): Promise<number> {
  const { listeners, overQuotaUntil } = await checkFacts(tx, request);
  if (signs(decoded.kind) && overQuotaUntil > request.now) throw await overQuota(tx, request.organization, request.now);
  return listeners;
}

async function writeAlso(tx: Writer, { also, vote, decision }: Execution, listeners: number): Promise<void> {
  await also?.(tx, vote === undefined ? evaluated(decision) : undefined, listeners);
}

async function writeVote(tx: Writer, ids: Engine['ids'], { request, activity, vote, proof, decision }: Execution): Promise<void> {
  if (proof !== undefined) {
    if (!(await tx.proofs.insert(proof))) throw new StaleDecisionError(activity.organizationId);
    await tx.audit.insert(newAuditEntry(ids, request, activity.id, 'proof.given'));
  }
  if (vote === undefined) return;
  const { organization } = request.caller;
  if (!(await tx.activities.insertVote(vote, evaluated(decision), organization.id))) throw new StaleDecisionError();
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

function everywhere(engine: Engine, { request, decoded, submitter = request.caller }: Execution) {
  const { organization, now } = request;
  const { ids, log, limits, compiler, baseUrl, otpSandbox, tokens } = engine;
  const vault = vaultFor(engine.vault, decoded.kind.custody, organization.id);
  const { rateKey } = engine.vault;
  return {
    organization,
    submitter,
    vault,
    rateKey,
    now,
    ids,
    log,
    policies: compiler,
    limits,
    baseUrl,
    otpSandbox,
    tokens,
  };
}
