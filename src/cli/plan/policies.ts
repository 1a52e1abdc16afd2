import type { WantedPolicy } from './files.ts';
import type { LivePolicy, Texts } from './state.ts';
import { type Group, portions, type Step, step } from './step.ts';
import { isSame, isSecond, nameOfSecond, narrowed, secondId, textsOf } from './texts.ts';

export type PolicyChange = { name: string; before: LivePolicy | undefined; after: WantedPolicy | undefined; isDecisive: boolean };

type New = Texts & { name: string; notes: string; until?: string };

const isDeny = ({ effect }: Pick<Texts, 'effect'>): boolean => effect === 'EFFECT_DENY';
const PARTS = ['effect', 'condition', 'consensus', 'time', 'notes'] as const;

/** The parts that differ, as lines. */
export const difference = (before: Partial<New> = {}, after: Partial<New> = {}): string[] =>
  PARTS.flatMap((part) => {
    const [old, now] = [before[part] ?? '', after[part] ?? ''];
    if (old === now) return [];
    return [...(old === '' ? [] : [`- ${part}: ${old}`]), ...(now === '' ? [] : [`+ ${part}: ${now}`])];
  });

/** A policy is matched by its name. */
export function policyChanges(wanted: readonly WantedPolicy[], live: readonly LivePolicy[], isPruned: boolean): PolicyChange[] {
  const before = new Map(live.map((policy) => [policy.name, policy]));
  const names = new Set(wanted.map(({ name }) => name));
  const changes: PolicyChange[] = wanted.flatMap((after) => {
    const old = before.get(after.name);
    const isDecisive = old === undefined || !isSame(old, after);
    return isDecisive || old.notes !== after.notes ? [{ name: after.name, before: old, after, isDecisive }] : [];
  });
  for (const policy of live)
    if (!names.has(policy.name) && (isPruned || isSecond(policy)))
      changes.push({ name: policy.name, before: policy, after: undefined, isDecisive: true });
  return changes;
}

const counted = (verb: string, n: number, what: string): string => `${verb} ${n} ${what} ${n === 1 ? 'policy' : 'policies'}`;

const linesOf = (name: string, lines: readonly string[]): string[] => [`"${name}"`, ...lines.map((line) => `  ${line}`)];

const created = (group: Group, policies: readonly New[], what: string): Step[] =>
  portions(policies, 100).map((some) => {
    const bodies = some.map(({ name, effect, condition, consensus, time, notes }) => ({
      policyName: name,
      effect,
      ...(condition !== '' && { condition }),
      ...(consensus !== '' && { consensus }),
      ...(time !== '' && { time }),
      notes,
    }));
    return step(
      group,
      'create_policies',
      counted('create', some.length, what),
      { policies: bodies },
      {
        writes: some.map((one) => ({ name: one.name, texts: textsOf(one) })),
        creates: some.map(({ name }) => secondId(name)),
        details: some.flatMap((one) =>
          one.until === undefined
            ? linesOf(one.name, difference(undefined, one))
            : [`"${one.name}", until "${one.until}" has its new text`],
        ),
      },
    );
  });

const deleted = (group: Group, policies: readonly (Partial<New> & { id: string; name: string })[], what: string): Step[] =>
  portions(policies, 100).map((some) =>
    step(
      group,
      'delete_policies',
      counted('delete', some.length, what),
      { policyIds: some.map(({ id }) => id) },
      {
        writes: some.map(({ name }) => ({ name, texts: undefined })),
        details: some.flatMap((one) => linesOf(one.name, difference(one))),
      },
    ),
  );

/** Only the parts that change are sent. `shown`: what the difference is shown from. */
function updated(group: Group, title: string, before: LivePolicy, after: New, shown: LivePolicy = before): Step {
  const { effect, condition, consensus, time, notes } = after;
  const policy = {
    policyId: before.id,
    ...(effect !== before.effect && { policyEffect: effect }),
    ...(condition !== before.condition && { policyCondition: condition }),
    ...(consensus !== before.consensus && { policyConsensus: consensus }),
    ...(notes !== before.notes && { policyNotes: notes }),
    ...(time !== before.time && { time }),
  };
  const writes = [{ name: before.name, texts: textsOf(after) }];
  return step(group, 'update_policy', title, policy, { writes, details: difference(shown, after) });
}

/**
 * First come requests that only restrict, and last those that only widen. So nothing is allowed in between that neither the old nor the
 * new policies allow. `isAlone`: nothing else changes, and one request leads from the old state to the new one.
 */
export function policySteps(changes: readonly PolicyChange[], isAlone: boolean): Step[] {
  const updates: Step[] = [];
  const newDenies: New[] = [];
  const newAllows: New[] = [];
  const oldDenies: LivePolicy[] = [];
  const oldAllows: LivePolicy[] = [];
  const seconds: { id: string; name: string }[] = [];
  const live = new Set(changes.flatMap(({ before }) => before?.name ?? []));
  for (const { name, before, after, isDecisive } of changes) {
    const title = `change policy "${name}"`;
    if (before === undefined) {
      if (after !== undefined) (isDeny(after) ? newDenies : newAllows).push(after);
    } else if (after === undefined) {
      if (isSecond(before)) seconds.push({ id: before.id, name });
      else (isDeny(before) ? oldDenies : oldAllows).push(before);
    } else if (!isDecisive || isAlone) updates.push(updated('widen', title, before, after));
    else if (isDeny(before) && !isDeny(after)) updates.push(updated('widen', title, before, after));
    else if (isDeny(after) && !isDeny(before)) updates.push(updated('restrict', title, before, after));
    else if (isDeny(after)) {
      const second = nameOfSecond(name, after);
      const notes = 'Made by countersign apply, which deletes it at its end.';
      if (!live.has(second)) {
        newDenies.push({ ...textsOf(after), name: second, notes, until: name });
        seconds.push({ id: secondId(second), name: second });
      }
      updates.push(updated('widen', title, before, after));
    } else {
      const less = { ...before, ...narrowed(before, after) };
      if (!isSame(less, before))
        updates.push({
          ...updated('restrict', `narrow policy "${name}" to what its old and its new text both allow`, before, less),
          details: [],
        });
      updates.push(updated('widen', title, less, after, before));
    }
  }
  return [
    ...created('restrict', newDenies, 'DENY'),
    ...deleted('restrict', oldAllows, 'ALLOW'),
    ...updates,
    ...created('widen', newAllows, 'ALLOW'),
    ...deleted('widen', oldDenies, 'DENY'),
    ...deleted('remove', seconds, 'intermediate DENY'),
  ];
}
