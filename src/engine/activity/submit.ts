import { ApiError, invalid } from '../../base/errors.ts';
import type { Activity, ActivityStatus, Vote } from '../../model/activity.ts';
import type { Engine } from '../context.ts';
import { type Authorizer, type Decision, Denial } from '../decision/authorize.ts';
import type { Trace } from '../ports.ts';
import { parseBody, type SubmitEnvelope, submitEnvelope } from '../request/body.ts';
import { noteCaller, resolveCaller } from '../request/caller.ts';
import {
  auditOf,
  checkLiveness,
  type Decoder,
  failureOf,
  fingerprintOf,
  type Matter,
  Moved,
  matterOf,
  newActivity,
  type Situation,
  voteOf,
} from '../request/context.ts';
import { authenticate, type Headers, type VerifiedStamp } from '../request/stamp.ts';
import { noteIgnored, unknownInSubmit } from '../request/unknown-members.ts';
import type { ActivityKind, ActivityVersion } from './declare.ts';
import { type FirstStep, performer } from './execute.ts';
import type { Render } from './render.ts';
import { type Voted, voting } from './votes.ts';

/** How often a decision is made anew when the facts under it move, before the caller is asked to come again. */
const ATTEMPTS = 10;

const NO_TARGET = 'No activity found with fingerprint. Consensus activities must target an existing activity by fingerprint';

/** Bytes of a vote's body: its parameters are a fingerprint. Every vote is shown whole with what it is about. */
const LONGEST_VOTE = 16_384;

export type Submitted = { json: string; activityId: string; status: ActivityStatus };

type Answered = Voted & { matter: Matter };

export type RunnerParts = { engine: Engine; authorizer: Authorizer; decode: Decoder; render: Render };

export type Runner = (kind: ActivityKind, body: Buffer, headers: Headers, trace?: Trace) => Promise<Submitted>;

/** Runs submitted activities. */
export function runner({ engine, authorizer, decode, render }: RunnerParts): Runner {
  const { store, clock, ids, load } = engine;
  const perform = performer(engine);
  const votes = voting(engine, authorizer, perform);

  /** Stores the refusal under the fingerprint, so that the same body meets the same answer, and throws it. */
  async function refuse(step: FirstStep, error: ApiError): Promise<never> {
    const told = error.about(step.activity.id);
    const failure = failureOf(told, step.situation.caller.user.id);
    await perform.record(step, { ...step.activity, status: 'ACTIVITY_STATUS_FAILED', failure });
    step.situation.trace.activityId = step.activity.id;
    throw told;
  }

  /** A body that the organization has not seen. */
  async function first(situation: Situation, matter: Matter): Promise<Answered> {
    const activity = newActivity(ids, situation, matter.version.type, 'ACTIVITY_STATUS_PENDING');
    const vote = voteOf(ids, situation, activity, 'VOTE_SELECTION_APPROVED');
    const { organization, caller, now } = situation;
    const question = { organization, matter, votes: [vote], now, known: caller, submitterId: caller.user.id };
    const decision = await authorizer.decide(store.read, question);
    const step: FirstStep = { situation, matter, activity, vote, decision };
    try {
      if (decision.outcome === 'OUTCOME_REQUIRES_CONSENSUS') {
        matter.kind.check?.(engine, matter.intent);
        const waiting: Activity = { ...activity, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' };
        await perform.record(step, waiting);
        return { activity: waiting, votes: [vote], matter };
      }
      if (decision.outcome !== 'OUTCOME_ALLOW') throw new Denial(decision);
      return { activity: await perform.execute(step), votes: [vote], matter };
    } catch (error) {
      if (error instanceof ApiError) return refuse(step, error);
      throw error;
    }
  }

  async function target(situation: Situation, fingerprint: string): Promise<{ activity: Activity; matter: Matter }> {
    const activity = await store.read.activities.byFingerprint(situation.organization.id, fingerprint);
    const matter = activity && decode(activity);
    if (activity === undefined || matter?.kind.votes !== undefined) throw new ApiError('NOT_FOUND', NO_TARGET);
    return { activity, matter: matter as Matter };
  }

  /**
   * An approval or rejection: an activity of its own, answered with the activity that it is about. `seen`: that activity, where
   * another user sent the same bytes; then the stamp is added to it, and it is completed if it had been refused to the other one.
   */
  async function vote(situation: Situation, matter: Matter, selection: Vote['selection'], seen?: Activity): Promise<Answered> {
    if (situation.body.length > LONGEST_VOTE)
      throw invalid('parameters', `a vote must have at most ${LONGEST_VOTE} bytes in all`);
    const { organization, caller, now } = situation;
    const own: Activity = seen ?? {
      ...newActivity(ids, situation, matter.version.type, 'ACTIVITY_STATUS_COMPLETED'),
      result: '{}',
    };
    const stamp = voteOf(ids, situation, own, 'VOTE_SELECTION_APPROVED', seen !== undefined);
    let decision: Pick<Decision, 'policyEvaluations'> = { policyEvaluations: [] };
    try {
      decision = await votes.permit(situation, selection);
      const about = await target(situation, (matter.intent as { fingerprint: string }).fingerprint);
      const voted = await votes.cast(situation, about.matter, about.activity, selection, async (tx) => {
        if (seen === undefined && !(await tx.activities.insert(own))) throw new Moved();
        await tx.activities.insertVote(stamp);
        if (seen?.status === 'ACTIVITY_STATUS_COMPLETED') return;
        const done = { status: 'ACTIVITY_STATUS_COMPLETED', result: '{}', failure: own.failure } as const;
        if (seen !== undefined && !(await tx.activities.finish(own, done, now))) throw new Moved();
        await tx.audit.insert(auditOf(ids, situation, own.id, 'activity.completed'));
      });
      return { ...voted, matter: about.matter };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (seen !== undefined) {
        // The same vote may have been counted a moment ago.
        const stamps = await store.read.activities.votes(organization.id, own.id);
        throw stamps.some(({ userId }) => userId === caller.user.id) ? new Moved() : error;
      }
      if (error instanceof Denial) decision = error.decision;
      return refuse({ situation, matter, activity: own, vote: stamp, decision }, error);
    }
  }

  async function seen(situation: Situation, matter: Matter, activity: Activity): Promise<Answered> {
    const voted = await votes.again(situation, matter, activity);
    const { votes: selection } = matter.kind;
    if (selection === undefined) return { ...voted, matter };
    if (!voted.votes.some((stamp) => stamp.userId === situation.caller.user.id)) {
      checkLiveness(matter.timestampMs, situation.now);
      return vote(situation, matter, selection, activity);
    }
    const about = await target(situation, (matter.intent as { fingerprint: string }).fingerprint);
    const cast = await store.read.activities.votes(situation.organization.id, about.activity.id);
    return { activity: about.activity, votes: cast, matter: about.matter };
  }

  async function answer(
    { organization, caller, now }: Situation,
    { activity, votes: cast, matter }: Answered,
  ): Promise<Submitted> {
    const viewer = { organizationId: caller.organization.id, user: caller.user, now };
    const json = await render.submitted(store.read, { activity, votes: cast, matter, organization }, viewer);
    return { json, activityId: activity.id, status: activity.status };
  }

  async function attempt(situation: Situation, matter: () => Matter, existing: Activity | undefined): Promise<Submitted> {
    if (existing) {
      situation.trace.activityId = existing.id;
      return answer(situation, await seen(situation, matter(), existing));
    }
    const wanted = matter();
    const { votes: selection } = wanted.kind;
    return answer(situation, await (selection === undefined ? first(situation, wanted) : vote(situation, wanted, selection)));
  }

  async function submit(kind: ActivityKind, body: Buffer, headers: Headers, trace: Trace): Promise<Submitted> {
    const members = parseBody(body);
    const envelope: SubmitEnvelope = submitEnvelope(members);
    const version: ActivityVersion | undefined = kind.versions.get(envelope.type);
    if (version === undefined) throw invalid('type', `must be ${[...kind.versions.keys()].join(' or ')} on this path`);
    trace.type = version.type;
    const fingerprint = fingerprintOf(body);
    const { claimed, verified } = authenticate(engine.stamps, headers, body, load.submits > 1);
    let stamp: VerifiedStamp | undefined;
    let decoded: Matter | undefined;
    const matter = () => {
      decoded ??= matterOf(kind, version, envelope.parameters, envelope.timestampMs);
      return decoded;
    };
    for (let tried = 1; ; tried++) {
      const { organization, holder, existing } = await store.read.arrivals.get(envelope.organizationId, claimed, fingerprint);
      if (organization === undefined) throw new ApiError('ORGANIZATION_NOT_FOUND');
      trace.organizationId = organization.id;
      stamp ??= await verified;
      const now = clock.now();
      const caller = await resolveCaller(store.read, organization, stamp, now, holder);
      noteCaller(trace, caller);
      if (caller.organization.id !== organization.id) {
        throw new ApiError(
          'ORGANIZATION_MISMATCH',
          `organization mismatch: request is targeting organization ("${organization.id}"), but voters are in organization ("${caller.organization.id}")`,
        );
      }
      if (kind.callers === 'top-level' && organization.parentId !== null) throw new ApiError('INVALID_ACTIVITY_CALLER');
      const ignored = unknownInSubmit(members, kind.params.schema(version.version), envelope.parameters);
      noteIgnored(trace, ignored, engine.strictInput && !existing);
      if (!existing) checkLiveness(envelope.timestampMs, now);
      try {
        return await attempt({ organization, caller, now, stamp, body, fingerprint, trace }, matter, existing);
      } catch (error) {
        if (!(error instanceof Moved)) throw error;
        if (tried === ATTEMPTS)
          throw new ApiError('UNAVAILABLE', 'the organization is being changed at the same time: send the same body again');
      }
    }
  }

  return async (kind, body, headers, trace = {}) => {
    load.submits++;
    try {
      return await submit(kind, body, headers, trace);
    } finally {
      load.submits--;
    }
  };
}
