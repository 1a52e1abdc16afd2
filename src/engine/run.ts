import { createHash } from 'node:crypto';
import { ApiError, type ErrorCode, invalid } from '../base/errors.ts';
import { type Activity, type ActivityStatus, type Failure, isTerminal, liveVotes, type Vote } from '../model/activity.ts';
import type { Organization } from '../model/organization.ts';
import type { Fact, Reader, Writer } from '../store/types.ts';
import type { ActivityKind, ActivityVersion } from './activity.ts';
import { authenticate, claimedKey, type Headers, type VerifiedStamp } from './authenticate.ts';
import { type Decision, decide, denial, qualifies } from './authorize.ts';
import { resolveCaller } from './caller.ts';
import type { Caller, Custody, Engine, ExecuteContext, OutboxEvent, VaultFor } from './context.ts';
import { parseBody, type SubmitEnvelope, submitEnvelope, validate } from './envelope.ts';
import type { Render, Shown } from './render.ts';

/** How far a request's clock may be off (authorization facts §1.6). */
const OLDEST_MS = 60 * 60 * 1000;
const NEWEST_MS = 5 * 60 * 1000;

/** How often a decision is made anew when the facts under it move, before the caller is asked to come again. */
const ATTEMPTS = 10;

/** Somebody else was first, or a fact moved: nothing was written, and everything is to be decided anew. */
class Moved extends Error {
  override readonly name = 'Moved';
}

export type Submitted = { json: string; activityId: string; status: ActivityStatus };

type Request = {
  kind: ActivityKind;
  version: ActivityVersion;
  envelope: SubmitEnvelope;
  body: Buffer;
  fingerprint: string;
  stamp: VerifiedStamp;
};

type Situation = { request: Request; organization: Organization; caller: Caller; now: number };

/** `sha256:` and the digest of the body as it came (authorization facts §1.5). */
export function fingerprintOf(body: Buffer): string {
  return `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

function checkLiveness(timestampMs: string, now: number): void {
  const age = now - Number(timestampMs);
  if (age > OLDEST_MS)
    throw new ApiError('REQUEST_INVALID', 'request timestamp is too old: timestampMs must be at most one hour ago');
  if (age < -NEWEST_MS)
    throw new ApiError(
      'REQUEST_INVALID',
      'request timestamp is too far in the future: timestampMs may be at most five minutes ahead',
    );
}

function failureOf(error: ApiError, userId: string | undefined): Failure {
  const failure: Failure = { code: error.grpc, message: error.message, details: [...error.details] };
  return userId === undefined ? failure : { ...failure, refusal: error.code, refusedUserId: userId };
}

const EVENTS: Partial<Record<ActivityStatus, string>> = {
  ACTIVITY_STATUS_COMPLETED: 'activity.completed',
  ACTIVITY_STATUS_FAILED: 'activity.failed',
  ACTIVITY_STATUS_CONSENSUS_NEEDED: 'activity.consensus_needed',
  ACTIVITY_STATUS_REJECTED: 'activity.rejected',
};

/** Runs submitted activities (design §5). `render` writes the answer. */
export function runner(
  engine: Engine,
  render: Render,
): (kind: ActivityKind, body: Buffer, headers: Headers) => Promise<Submitted> {
  const { store, clock, ids, vault, load } = engine;

  function voteOf({ request, organization, caller, now }: Situation, activityId: string, ownBody: boolean): Vote {
    return {
      organizationId: organization.id,
      activityId,
      id: ids.next(),
      userId: caller.user.id,
      credentialId: caller.credential.id,
      selection: 'VOTE_SELECTION_APPROVED',
      scheme: request.stamp.scheme,
      publicKey: request.stamp.publicKey,
      signature: request.stamp.signature,
      message: ownBody ? null : request.body,
      createdAt: now,
    };
  }

  const auditOf = ({ organization, caller, now }: Situation, activityId: string, event: string) => ({
    organizationId: organization.id,
    id: ids.next(),
    activityId,
    event,
    actorOrganizationId: caller.organization.id,
    actorUserId: caller.user.id,
    credentialId: caller.credential.id,
    createdAt: now,
  });

  function newActivity({ request, organization, now }: Situation, status: ActivityStatus): Activity {
    return {
      organizationId: organization.id,
      id: ids.next(),
      fingerprint: request.fingerprint,
      type: request.envelope.type,
      status,
      body: request.body,
      result: '',
      failure: null,
      version: 1,
      createdAt: now,
      updatedAt: now,
    };
  }

  const factsOf = ({ organization }: Situation): Fact[] => [{ organizationId: organization.id, version: organization.version }];

  /** Writes a new activity that is finished, or waits: one guarded write. */
  async function record(situation: Situation, activity: Activity, vote: Vote): Promise<void> {
    const event = EVENTS[activity.status] ?? 'activity.updated';
    const facts = factsOf(situation);
    if ((await store.record({ activity, vote, audit: auditOf(situation, activity.id, event), facts })) !== 'written')
      throw new Moved();
  }

  function context(
    situation: Situation,
    caller: Caller,
    db: Reader | Writer,
    events: OutboxEvent[],
    changed: { facts: boolean },
  ): ExecuteContext<Custody> {
    return {
      organization: situation.organization,
      caller,
      vault: vault as VaultFor<Custody>,
      now: situation.now,
      ids,
      policies: engine.policies,
      limits: engine.limits,
      store: db as Writer,
      after: (event) => events.push(event),
      factsChanged: () => {
        changed.facts = true;
      },
    };
  }

  /** Runs `execute` and everything that must stand or fall with it. `seen`: the waiting activity that a late vote completes. */
  async function execute(
    situation: Situation,
    actor: Caller,
    intent: unknown,
    activity: Activity,
    vote: Vote,
    late: boolean,
  ): Promise<Activity> {
    const { request, organization, now } = situation;
    const { kind } = request;
    const prepared = await kind.prepare?.(
      {
        organization,
        caller: actor,
        vault: vault as VaultFor<Custody>,
        now,
        ids,
        policies: engine.policies,
        limits: engine.limits,
        read: store.read,
      },
      intent,
    );
    if (kind.custody === 'sign' && !late) {
      const result = await kind.execute(context(situation, actor, store.read, [], { facts: false }), intent, prepared);
      const done: Activity = { ...activity, status: 'ACTIVITY_STATUS_COMPLETED', result: JSON.stringify(result) };
      await record(situation, done, vote);
      return done;
    }
    return store.transaction(async (tx) => {
      if (!late && !(await tx.activities.insert(activity))) throw new Moved();
      for (const fact of factsOf(situation))
        if ((await tx.organizations.version(fact.organizationId)) !== fact.version) throw new Moved();
      await tx.activities.insertVote(vote);
      const events: OutboxEvent[] = [];
      const changed = { facts: false };
      const result = JSON.stringify(await kind.execute(context(situation, actor, tx, events, changed), intent, prepared));
      if (changed.facts && !(await tx.organizations.bump(organization.id, organization.version, now))) throw new Moved();
      const outcome = { status: 'ACTIVITY_STATUS_COMPLETED', result, failure: null } as const;
      if (!(await tx.activities.finish(activity, outcome, now))) throw new Moved();
      await tx.audit.insert(auditOf(situation, activity.id, 'activity.completed'));
      for (const event of events) {
        const row = { id: ids.next(), organizationId: organization.id, activityId: activity.id, createdAt: now };
        await tx.outbox.insert({ ...row, topic: event.topic, payload: JSON.stringify(event.payload) });
      }
      return { ...activity, ...outcome, updatedAt: now, version: activity.version + 1 };
    });
  }

  async function answer(
    situation: Situation,
    activity: Activity,
    votes: readonly Vote[],
    parameters: unknown,
  ): Promise<Submitted> {
    const { request, organization, caller, now } = situation;
    const shown: Shown = {
      activity,
      votes,
      version: request.version,
      parameters,
      timestampMs: request.envelope.timestampMs,
      organization,
    };
    const json = await render.submitted(store.read, shown, { organizationId: caller.organization.id, user: caller.user, now });
    return { json, activityId: activity.id, status: activity.status };
  }

  /** Stores the refusal under the fingerprint, so that the same body meets the same answer, and throws it. */
  async function refuse(situation: Situation, activity: Activity, vote: Vote, error: ApiError): Promise<never> {
    await record(
      situation,
      { ...activity, status: 'ACTIVITY_STATUS_FAILED', failure: failureOf(error, situation.caller.user.id) },
      vote,
    );
    throw error;
  }

  const ask = (situation: Situation, votes: readonly Vote[], intent: unknown): Decision =>
    decide({
      organization: situation.organization,
      governedBy: situation.request.kind.governedBy,
      votes,
      ownCredentialsOf: situation.request.kind.ownCredentialsOf(intent),
    });

  /** A body that the organization has not seen. */
  async function first(situation: Situation): Promise<Submitted> {
    const { kind, version, envelope } = situation.request;
    checkLiveness(envelope.timestampMs, situation.now);
    const parameters = validate(kind.params.schema(version.version), envelope.parameters, 'parameters');
    const intent = kind.params.raise(version.version, parameters);
    const activity = newActivity(situation, 'ACTIVITY_STATUS_PENDING');
    const vote = voteOf(situation, activity.id, true);
    const decision = ask(situation, [vote], intent);
    if (decision.outcome === 'OUTCOME_REQUIRES_CONSENSUS') {
      const waiting: Activity = { ...activity, status: 'ACTIVITY_STATUS_CONSENSUS_NEEDED' };
      await record(situation, waiting, vote);
      return answer(situation, waiting, [vote], parameters);
    }
    if (decision.outcome !== 'OUTCOME_ALLOW') return refuse(situation, activity, vote, denial(decision));
    try {
      return await answer(
        situation,
        await execute(situation, situation.caller, intent, activity, vote, false),
        [vote],
        parameters,
      );
    } catch (error) {
      if (error instanceof ApiError) return refuse(situation, activity, vote, error);
      throw error;
    }
  }

  /** Who submitted: the actor of an activity that a later vote completes. */
  async function submitter(situation: Situation, votes: readonly Vote[]): Promise<Caller> {
    const holder = await store.read.credentials.holder(situation.organization.id, votes[0]!.publicKey);
    return holder ? { organization: situation.organization, ...holder } : situation.caller;
  }

  /** Votes that count: inside their window, and the credential that made them still exists. */
  async function counting({ organization, now }: Situation, votes: readonly Vote[]): Promise<Vote[]> {
    const live: Vote[] = [];
    for (const vote of liveVotes(votes, now))
      if (await store.read.credentials.get(organization.id, vote.credentialId)) live.push(vote);
    return live;
  }

  async function approve(situation: Situation, activity: Activity, cast: readonly Vote[]): Promise<Submitted> {
    const { request, organization, now } = situation;
    const { kind, version, envelope } = request;
    const parameters = validate(kind.params.schema(version.version), envelope.parameters, 'parameters');
    const intent = kind.params.raise(version.version, parameters);
    const vote = voteOf(situation, activity.id, true);
    const votes = [...cast, vote];
    const decision = ask(situation, await counting(situation, votes), intent);
    let after = activity;
    if (decision.outcome === 'OUTCOME_ALLOW') {
      try {
        after = await execute(situation, await submitter(situation, votes), intent, activity, vote, true);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        after = await settle(situation, activity, vote, {
          status: 'ACTIVITY_STATUS_FAILED',
          result: '',
          failure: failureOf(error, undefined),
        });
      }
    } else if (decision.outcome === 'OUTCOME_REQUIRES_CONSENSUS') {
      after = await settle(situation, activity, vote, { status: activity.status, result: '', failure: null });
    } else throw denial(decision);
    engine.log.info({ organizationId: organization.id, activityId: activity.id, at: now }, 'vote counted');
    return answer(situation, after, votes, parameters);
  }

  /** Records a vote and what became of the activity that it was for. */
  async function settle(
    situation: Situation,
    activity: Activity,
    vote: Vote,
    outcome: { status: ActivityStatus; result: string; failure: Failure | null },
  ): Promise<Activity> {
    return store.transaction(async (tx) => {
      for (const fact of factsOf(situation))
        if ((await tx.organizations.version(fact.organizationId)) !== fact.version) throw new Moved();
      await tx.activities.insertVote(vote);
      if (!(await tx.activities.finish(activity, outcome, situation.now))) throw new Moved();
      await tx.audit.insert(auditOf(situation, activity.id, 'vote.approved'));
      return { ...activity, ...outcome, updatedAt: situation.now, version: activity.version + 1 };
    });
  }

  /** A body that the organization has seen: the same activity, however late and whoever sends it. */
  async function again(situation: Situation, activity: Activity): Promise<Submitted> {
    const { caller, organization, request, now } = situation;
    const { failure } = activity;
    if (failure?.refusal !== undefined && failure.refusedUserId === caller.user.id) {
      throw new ApiError(failure.refusal as ErrorCode, failure.message, { details: failure.details });
    }
    const votes = await store.read.activities.votes(organization.id, activity.id);
    if (!isTerminal(activity.status)) {
      const mine = liveVotes(votes, now).some((v) => v.userId === caller.user.id && v.selection === 'VOTE_SELECTION_APPROVED');
      const known = mine || votes.some((v) => v.userId === caller.user.id);
      if (!mine && qualifies(organization, caller.user.id)) return approve(situation, activity, votes);
      if (!known)
        throw new ApiError('REQUEST_NOT_AUTHORIZED', 'request not authorized: this activity waits for the approval of others');
    }
    const parameters = validate(request.kind.params.schema(request.version.version), request.envelope.parameters, 'parameters');
    return answer(situation, activity, votes, parameters);
  }

  async function submit(kind: ActivityKind, body: Buffer, headers: Headers): Promise<Submitted> {
    const envelope = submitEnvelope(parseBody(body));
    const version = kind.versions.get(envelope.type);
    if (version === undefined) throw invalid('type', `must be ${[...kind.versions.keys()].join(' or ')} on this path`);
    const fingerprint = fingerprintOf(body);
    const verified = authenticate(engine.stamps, headers, body, load.submits > 1);
    // The organization is the first to be complained of; whichever fails later must not count as unhandled.
    verified.catch(() => {});
    const claimed = claimedKey(engine.stamps, headers);
    let stamp: VerifiedStamp | undefined;
    for (let attempt = 1; ; attempt++) {
      const { organization, holder, existing } = await store.read.arrivals.get(envelope.organizationId, claimed, fingerprint);
      if (organization === undefined) throw new ApiError('ORGANIZATION_NOT_FOUND');
      stamp ??= await verified;
      const now = clock.now();
      const caller = await resolveCaller(store.read, organization, stamp, now, holder);
      if (caller.organization.id !== organization.id) {
        throw new ApiError(
          'ORGANIZATION_MISMATCH',
          `organization mismatch: request is targeting organization ("${organization.id}"), but voters are in organization ("${caller.organization.id}")`,
        );
      }
      if (kind.callers === 'top-level' && organization.parentId !== null) throw new ApiError('INVALID_ACTIVITY_CALLER');
      const situation: Situation = { request: { kind, version, envelope, body, fingerprint, stamp }, organization, caller, now };
      try {
        return await (existing ? again(situation, existing) : first(situation));
      } catch (error) {
        if (!(error instanceof Moved)) throw error;
        if (attempt === ATTEMPTS)
          throw new ApiError('UNAVAILABLE', 'the organization is being changed at the same time: send the same body again');
      }
    }
  }

  return async (kind, body, headers) => {
    load.submits++;
    try {
      return await submit(kind, body, headers);
    } finally {
      load.submits--;
    }
  };
}
