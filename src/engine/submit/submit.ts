import { ApiError, invalid, SealedTooLate } from '../../base/errors.ts';
import type { Turn } from '../../base/lines.ts';
import { EnvelopeError } from '../../custody/types.ts';
import { type Activity, type ActivityStatus, firstVote, isTerminal, type Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import { isReading } from '../../model/session-profile.ts';
import type { Warning } from '../../model/warning.ts';
import type { ActivityKind } from '../activity/declare.ts';
import { type DecodedActivity, type ResolvedActivity, resolveActivity } from '../activity/decode.ts';
import { Denial } from '../decision/denial.ts';
import { demandsOfUser } from '../decision/mfa.ts';
import { StaleDecisionError } from '../decision/stale.ts';
import { denialOf } from '../decision/velocity-denial.ts';
import { aside, type Engine } from '../engine.ts';
import type { Trace } from '../ports.ts';
import type { RequestContext } from '../request/context.ts';
import { checkLiveness } from '../request/liveness.ts';
import { limitOnce, type OncePerRequest } from '../request/rate.ts';
import type { Headers } from '../request/stamp.ts';
import { maybeArchived } from './archived.ts';
import { examine, executeNew, recordNew, requireVelocity } from './execute.ts';
import type { Execution } from './execution.ts';
import { arrive } from './newcomer.ts';
import { isFinal, refuse, unlessRefused } from './refusal.ts';
import { renderSubmitted } from './render.ts';
import { newActivity } from './rows.ts';
import { authenticated, type Existing, existingOf, readSubmission, type Submission } from './submission.ts';
import { type Answered, measured, target, vote } from './vote-activity.ts';
import { checkDeciding, sendAgain } from './votes.ts';

/** How many times a decision is attempted while its facts change, before the caller is told to try again. */
const ATTEMPTS = 30;

type Limit = OncePerRequest | undefined;

/** `warnings`: only of a new body. */
export type Submitted = { json: string; activityId: string; status: ActivityStatus; warnings: readonly Warning[] };

/** Runs a submitted activity, or counts the submit as a vote on the activity that the same body created before. */
export async function submit(
  engine: Engine,
  kind: ActivityKind,
  body: Buffer,
  headers: Headers,
  trace: Trace = {},
): Promise<Submitted> {
  engine.load.submits++;
  try {
    return await decidedSubmit(engine, kind, body, headers, trace);
  } finally {
    engine.load.submits--;
  }
}

async function decidedSubmit(
  engine: Engine,
  kind: ActivityKind,
  body: Buffer,
  headers: Headers,
  trace: Trace,
): Promise<Submitted> {
  const submission = readSubmission(engine, kind, body, headers, trace);
  const limit = limitOnce(engine, true);
  return (await submitFromMemory(engine, submission, limit)) ?? submitFromDatabase(engine, submission, limit);
}

/**
 * Decides by facts in memory, if the caller's are there and the activity permits it. Returns undefined unless the decision
 * allowed the activity, and the facts were current when it was recorded. Any other outcome may result from outdated facts, and
 * wrote nothing.
 */
async function submitFromMemory(engine: Engine, submission: Submission, limit: Limit): Promise<Submitted | undefined> {
  const { store, known } = engine;
  const { kind, submitted, fingerprint, presented } = submission;
  if (!kind.recalls || known.remembers(fingerprint)) return undefined;
  const recalled = known.recall(store.read, submitted.organizationId, presented.claimed);
  if (recalled?.organization === undefined || maybeArchived(recalled.organization, submitted.timestampMs)) return undefined;
  // The caller found in memory may have been deleted, and is logged only if not.
  const trace = { ...submission.trace };
  try {
    const facts = { ...recalled, existing: undefined, fromMemory: true };
    const { request } = await authenticated(engine, { ...submission, trace }, facts);
    // A caller over the limit falls back to the database, because the body may be a known one.
    limit?.(request.caller);
    const answer = await attempt(engine, request, submission.decoded, undefined);
    recorded(engine, submission);
    Object.assign(submission.trace, trace);
    return answer;
  } catch (error) {
    // Keys that were sealed anew raise no version.
    if (error instanceof EnvelopeError) known.forget(submitted.organizationId);
    else if (!(error instanceof ApiError || error instanceof StaleDecisionError)) throw error;
    return undefined;
  }
}

/**
 * Repeats the attempt until the facts do not change during it. Writes in one organization change each other's facts. A submit
 * that met another write waits for its turn among them. Otherwise it could keep failing while others are written.
 */
async function submitFromDatabase(engine: Engine, submission: Submission, limit: Limit): Promise<Submitted> {
  let turn: Turn | undefined;
  try {
    for (let tried = 1; ; tried++) {
      const seen = engine.masterKeys.generation();
      try {
        return await decideByDatabase(engine, submission, limit);
      } catch (error) {
        if (tried < ATTEMPTS && (await haveKeysChanged(engine, error, seen))) continue;
        if (!(error instanceof StaleDecisionError)) throw error;
        if (tried === ATTEMPTS)
          throw new ApiError('UNAVAILABLE', 'other requests are changing the organization: send the same body again');
        if (submission.kind.writes) turn = await nextTurn(engine, turn, error.organizationId);
      }
    }
  } finally {
    turn?.end();
  }
}

/** Whether the attempt may have failed because a rotation changed the master keys meanwhile. */
async function haveKeysChanged({ masterKeys }: Engine, error: unknown, seen: number): Promise<boolean> {
  if (!(error instanceof EnvelopeError || error instanceof SealedTooLate)) return false;
  await masterKeys.look();
  // That look may have begun before the change.
  if (masterKeys.generation() === seen) await masterKeys.look();
  return masterKeys.generation() !== seen;
}

/** The turn to write in that organization: `held` if it is that turn already. At most one is held. */
async function nextTurn(engine: Engine, held: Turn | undefined, organizationId: string | undefined): Promise<Turn | undefined> {
  if (organizationId === undefined || (held?.key === organizationId && !held.hasEnded())) return held;
  held?.end();
  return aside(engine, () => engine.writing(organizationId));
}

/**
 * If the same body admitted the newcomer meanwhile, this request is refused for that reason. So the body is looked up again.
 * Throws StaleDecisionError.
 */
async function arrivedOnce(engine: Engine, submission: Submission, organization: Organization | undefined) {
  try {
    return await arrive(engine, submission, organization);
  } catch (error) {
    const { submitted, fingerprint, presented } = submission;
    const { read } = engine.store;
    const now = await read.requestLookup.get(submitted.organizationId, presented.claimed, fingerprint);
    throw (await existingOf(read, submission, now)) ? new StaleDecisionError() : error;
  }
}

/** Throws StaleDecisionError. */
async function decideByDatabase(engine: Engine, submission: Submission, limit: Limit): Promise<Submitted> {
  const { store, known } = engine;
  const { kind, submitted, fingerprint, presented } = submission;
  const since = known.forgotten;
  const found = await store.read.requestLookup.get(submitted.organizationId, presented.claimed, fingerprint);
  if (found.organization) known.saw(found.organization);
  if (kind.admit && !(await existingOf(store.read, submission, found))) {
    const { request, answered } = await arrivedOnce(engine, submission, found.organization);
    return await answer(engine, request, answered);
  }
  const { request, existing } = await authenticated(engine, submission, { ...found, read: store.read, fromMemory: false });
  if (!existing) limit?.(request.caller);
  const isOwn = request.caller.organization.id === request.organization.id;
  if (kind.recalls && isOwn && presented.claimed !== '') known.keep(since, request.organization, request.caller);
  const answered = await attempt(engine, request, submission.decoded, existing);
  if (kind.recalls) recorded(engine, submission);
  return answered;
}

function recorded({ known, load }: Engine, { kind, fingerprint }: Submission): void {
  known.remember(fingerprint);
  if (!kind.writes) load.signed++;
}

/** Decides once, by the facts that were looked up. Throws StaleDecisionError. */
async function attempt(
  engine: Engine,
  request: RequestContext,
  decode: () => DecodedActivity,
  existing: Existing | undefined,
): Promise<Submitted> {
  if (existing) request.trace.activityId = existing.activity.id;
  const userId = existing?.activity.userId ?? request.caller.user.id;
  const decoded = measured(engine, request, resolveActivity(request.read, request.organization, decode(), engine.asking), userId);
  if (existing) {
    const answered = await known(engine, request, decoded, existing);
    await engine.store.confirmReads(request.now);
    return answer(engine, request, answered);
  }
  const { votes: selection } = decoded.kind;
  const answered = selection === undefined ? first(engine, request, decoded) : vote(engine, request, decoded, selection);
  return answer(engine, request, await answered);
}

/** Handles a body that is new to the organization. */
async function first(engine: Engine, request: RequestContext, decoded: ResolvedActivity): Promise<Answered> {
  const activity = newActivity(engine.ids, request, decoded.version.type, 'ACTIVITY_STATUS_PENDING');
  const vote = firstVote(activity);
  const { caller, now } = request;
  const { organization } = caller;
  // The scope of such a session allows nothing else.
  const endsItself = isReading(caller.credential);
  const submitterId = caller.user.id;
  const question = { organization, activity: decoded, votes: [vote], now, known: caller, submitterId, endsItself };
  const { authorize, scopes } = engine.decisions;
  const scoped = caller.credential.sessionProfileId ? await scopes(request.read, caller, decoded) : undefined;
  const decision = scoped ?? (await authorize(request.read, question));
  if (request.fromMemory && decision.outcome !== 'OUTCOME_ALLOW') throw new StaleDecisionError();
  const warnings: Warning[] = [];
  const execution: Execution = { request, decoded, activity, decision, warnings };
  let done: Activity;
  try {
    const consents = decision.outcome === 'OUTCOME_REQUIRES_CONSENSUS';
    if (decision.outcome !== 'OUTCOME_ALLOW' && !consents)
      throw scoped
        ? new Denial(scoped)
        : await denialOf(question, decision, (one) => authorize(request.read, { ...question, activity: one }));
    // Policies come first, then the submitter's own MFA, then the votes of others. Almost no user has MFA policies.
    const isOpen = caller.user.mfaPolicyCount > 0 && (await hasOpenMfa(engine, request, decoded));
    if (isOpen && request.fromMemory) throw new StaleDecisionError();
    if (isOpen || consents) {
      await examine(engine, execution);
      const status = isOpen ? 'ACTIVITY_STATUS_AUTHENTICATORS_NEEDED' : 'ACTIVITY_STATUS_CONSENSUS_NEEDED';
      const waiting: Activity = { ...activity, status };
      await recordNew(engine, execution, waiting);
      return { activity: waiting, votes: [vote], decoded, warnings };
    }
    if (decoded.measured) await requireVelocity(decoded);
    done = await executeNew(engine, execution);
  } catch (error) {
    if (isFinal(error) && !request.fromMemory) return refuse(engine, execution, error);
    throw error;
  }
  return { activity: unlessRefused(request, done), votes: [vote], decoded, warnings };
}

/** Whether MFA steps of the submitter stay open after the submit's own stamp. */
async function hasOpenMfa(engine: Engine, { read, caller, stamp }: RequestContext, decoded: ResolvedActivity): Promise<boolean> {
  const stamps = [{ scheme: stamp.scheme, credential: caller.credential }];
  const demands = await demandsOfUser(engine.decisions.mfa, read, caller.user, decoded, stamps);
  return demands.some(({ missing }) => missing.length > 0);
}

const archivedVote = () =>
  invalid('timestampMs', 'must be newer: this vote was archived and accepts no more stamps. Send a vote with the current time');

/** Handles a body that the organization already has. */
async function known(
  engine: Engine,
  request: RequestContext,
  decoded: ResolvedActivity,
  { activity, isArchived }: Existing,
): Promise<Answered> {
  const voted = await sendAgain(engine, request, decoded, activity);
  const { votes: selection } = decoded.kind;
  if (selection === undefined) return { ...voted, decoded };
  await checkDeciding(engine, request, decoded, activity);
  const mine = voted.votes.filter((stamp) => stamp.userId === request.caller.user.id);
  const about = mine.length === 0 ? undefined : await target(engine, request, decoded);
  if (about === undefined || (await mayProve(engine, request, activity, mine, about.activity))) {
    if (isArchived) throw archivedVote().about(activity.id);
    checkLiveness(decoded.timestampMs, engine.machine.now());
    return vote(engine, request, decoded, selection, activity, mine.length > 0);
  }
  // Read again: the same stamp, sent at the same time, may have finished it.
  const latest = await target(engine, request, decoded);
  const votes = await engine.store.read.activities.votes(request.organization.id, latest.activity.id);
  return { activity: latest.activity, votes, decoded: latest.decoded };
}

/** Whether a user stamps the body of their approval with another credential, to prove their identity. */
async function mayProve(
  engine: Engine,
  { organization, caller, stamp }: RequestContext,
  approval: Activity,
  mine: readonly Vote[],
  about: Activity,
): Promise<boolean> {
  if (caller.user.mfaPolicyCount === 0 || isTerminal(about.status)) return false;
  if (mine.some(({ publicKey }) => publicKey === stamp.publicKey)) return false;
  const proofs = await engine.store.read.proofs.ofActivity(organization.id, about.id);
  return !proofs.some(({ approvalId, publicKey }) => approvalId === approval.id && publicKey === stamp.publicKey);
}

const UNFENCED = 'a statement of the database takes long: it may have decided without this activity, which is answered';

async function answer(
  engine: Engine,
  { organization, caller, now }: RequestContext,
  { activity, votes, decoded, warnings = [] }: Answered,
): Promise<Submitted> {
  if (decoded.kind.fences && activity.status === 'ACTIVITY_STATUS_COMPLETED' && !(await engine.store.earlierEnded()))
    engine.log.warn({ organizationId: organization.id, activityId: activity.id }, UNFENCED);
  const viewer = { organization: caller.organization, user: caller.user, now };
  const json = await renderSubmitted(engine, { activity, votes, decoded, organization }, viewer);
  return { json, activityId: activity.id, status: activity.status, warnings };
}
