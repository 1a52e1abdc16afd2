import type { Activity, ActivityStatus, Vote } from '../../model/activity.ts';
import type { PolicyEvaluation } from '../../policy/index.ts';
import type { Outcome, Reader, Writer } from '../../store/types.ts';
import type { Custody, Engine, ExecuteContext, OutboxEvent, VaultFor } from '../context.ts';
import type { Decision } from '../decision/authorize.ts';
import { auditOf, type Matter, Moved, type Situation } from '../request/context.ts';

/** How a decision came about, kept for every vote that policies were asked about. */
type Evaluated = Pick<Decision, 'policyEvaluations'>;

export type Step = {
  situation: Situation;
  matter: Matter;
  activity: Activity;
  /** Absent where somebody who voted already asks anew. */
  vote: Vote | undefined;
  decision: Evaluated;
  /** What else stands or falls with the step: an approval's own record. */
  also?: ((tx: Writer) => Promise<void>) | undefined;
};

/** Makes an activity: the submitter's stamp is its first vote. */
export type FirstStep = Step & { vote: Vote };

export type Performer = {
  /** Writes a new activity that is finished, or waits: one guarded write. */
  record(step: FirstStep, activity: Activity): Promise<void>;
  /** Runs a new activity and everything that must stand or fall with it. */
  execute(step: FirstStep): Promise<Activity>;
  /** The same for one that waited and that this vote completes. */
  complete(step: Step): Promise<Activity>;
  /** Records a vote and what became of the activity that it was for. */
  settle(step: Step, outcome: Outcome): Promise<Activity>;
  /** Records what else there is of a step that changed nothing. */
  note(step: Step): Promise<void>;
};

const EVENTS: { readonly [S in ActivityStatus]?: string } = {
  ACTIVITY_STATUS_COMPLETED: 'activity.completed',
  ACTIVITY_STATUS_FAILED: 'activity.failed',
  ACTIVITY_STATUS_CONSENSUS_NEEDED: 'activity.consensus_needed',
  ACTIVITY_STATUS_REJECTED: 'activity.rejected',
};

const VOTED = { VOTE_SELECTION_APPROVED: 'vote.approved', VOTE_SELECTION_REJECTED: 'vote.rejected' };

/** Of what was decided, only what was evaluated is stored: the policies that the index ruled out can be listed at any time. */
function evaluated({ policyEvaluations }: Evaluated): PolicyEvaluation[] | undefined {
  if (policyEvaluations.length === 0) return undefined;
  return policyEvaluations.filter((e) => e.outcome !== 'OUTCOME_DENY_IMPLICIT' || 'reason' in e);
}

export function performer(engine: Engine): Performer {
  const { store, ids } = engine;
  const { sign, newWallet, deriveAccounts, newPrivateKey, newImportTarget, importWallet, importPrivateKey } = engine.vault;
  /** What an activity can do with keys is what it declared, not only by its type. Asked for only once it is allowed. */
  const vaults: { [C in Custody]: (organizationId: string) => VaultFor<C> } = {
    none: () => undefined,
    sign: () => signing,
    create: () => creating,
    import: () => importing,
    export: (organizationId) => engine.vault.permitExport(organizationId),
  };
  const signing = { sign };
  const creating = { newWallet, deriveAccounts, newPrivateKey };
  const importing = { newImportTarget, importWallet, importPrivateKey };

  const everywhere = ({ organization, now }: Situation, custody: Custody) => ({
    organization,
    vault: vaults[custody](organization.id),
    now,
    ids,
    log: engine.log,
    policies: engine.policies,
    limits: engine.limits,
  });

  const context = (situation: Situation, custody: Custody, db: Reader | Writer, events: OutboxEvent[]) =>
    ({
      ...everywhere(situation, custody),
      store: db as Writer,
      after: (event: OutboxEvent) => events.push(event),
    }) as ExecuteContext<Custody>;

  async function checkFacts(tx: Writer, { organization }: Situation): Promise<void> {
    if ((await tx.organizations.hold(organization.id)) !== organization.version) throw new Moved();
  }

  /** `isNew`: the vote is the submitter's stamp, which makes no event of its own. */
  async function cast(tx: Writer, { situation, activity, vote, decision }: Step, isNew: boolean): Promise<void> {
    if (vote === undefined) return;
    await tx.activities.insertVote(vote);
    if (!isNew) await tx.audit.insert(auditOf(ids, situation, activity.id, VOTED[vote.selection]));
    const evaluations = evaluated(decision);
    if (evaluations === undefined) return;
    const row = { organizationId: activity.organizationId, activityId: activity.id, voteId: vote.id, id: ids.next() };
    await tx.evaluations.insert({ ...row, evaluations, createdAt: situation.now });
  }

  async function record({ situation, vote, decision }: FirstStep, activity: Activity): Promise<void> {
    const audit = auditOf(ids, situation, activity.id, EVENTS[activity.status] ?? 'activity.updated');
    const evaluations = evaluated(decision);
    const kept = evaluations && { id: ids.next(), evaluations };
    const written = await store.record({
      activity,
      vote,
      audit,
      facts: [{ organizationId: situation.organization.id, version: situation.organization.version }],
      evaluations: kept,
    });
    if (written !== 'written') throw new Moved();
  }

  async function prepare({ situation, matter: { kind, intent } }: Step): Promise<unknown> {
    kind.check?.(engine, intent);
    return kind.prepare?.({ ...everywhere(situation, kind.custody), read: store.read }, intent);
  }

  async function inTransaction(step: Step, prepared: unknown, isNew: boolean): Promise<Activity> {
    const { situation, matter, activity } = step;
    const { organization, now } = situation;
    return store.transaction(async (tx) => {
      if (isNew && !(await tx.activities.insert(activity))) throw new Moved();
      await checkFacts(tx, situation);
      await step.also?.(tx);
      await cast(tx, step, isNew);
      const events: OutboxEvent[] = [];
      const result = JSON.stringify(
        await matter.kind.execute(context(situation, matter.kind.custody, tx, events), matter.intent, prepared),
      );
      const outcome = { status: 'ACTIVITY_STATUS_COMPLETED', result, failure: null } as const;
      if (!(await tx.activities.finish(activity, outcome, now))) throw new Moved();
      await tx.audit.insert(auditOf(ids, situation, activity.id, 'activity.completed'));
      for (const event of events) {
        const row = { id: ids.next(), organizationId: organization.id, activityId: activity.id, createdAt: now };
        await tx.outbox.insert({ ...row, topic: event.topic, payload: JSON.stringify(event.payload) });
      }
      return { ...activity, ...outcome, updatedAt: now, version: activity.version + 1 };
    });
  }

  return {
    record,
    async execute(step) {
      const { situation, matter, activity } = step;
      const prepared = await prepare(step);
      if (matter.kind.custody !== 'sign') return inTransaction(step, prepared, true);
      // Signing changes nothing but the record, so it needs no transaction around it: the record carries the version check.
      const result = await matter.kind.execute(context(situation, 'sign', store.read, []), matter.intent, prepared);
      const done: Activity = { ...activity, status: 'ACTIVITY_STATUS_COMPLETED', result: JSON.stringify(result) };
      await record(step, done);
      return done;
    },
    complete: async (step) => inTransaction(step, await prepare(step), false),
    settle: (step, outcome) =>
      store.transaction(async (tx) => {
        const { situation, activity } = step;
        await checkFacts(tx, situation);
        await step.also?.(tx);
        await cast(tx, step, false);
        if (!(await tx.activities.finish(activity, outcome, situation.now))) throw new Moved();
        const event = outcome.status === activity.status ? undefined : EVENTS[outcome.status];
        if (event) await tx.audit.insert(auditOf(ids, situation, activity.id, event));
        return { ...activity, ...outcome, updatedAt: situation.now, version: activity.version + 1 };
      }),
    note: (step) =>
      store.transaction(async (tx) => {
        await checkFacts(tx, step.situation);
        await step.also?.(tx);
      }),
  };
}
