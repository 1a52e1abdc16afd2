import { createHash } from 'node:crypto';
import { canonical } from './canonical.ts';
import { checkedControls, controlSteps } from './controls.ts';
import { refuse, type Wanted } from './files.ts';
import { type Ids, namesOf, withIds } from './names.ts';
import { memberNotes, policyNotes } from './notes.ts';
import { ownRight } from './own-right.ts';
import { peopleSteps, peopleWish, tagRemovals } from './people.ts';
import { type PolicyChange, policyChanges, policySteps } from './policies.ts';
import type { Live, Texts } from './state.ts';
import { inOrder, type Step } from './step.ts';
import { textOf } from './texts.ts';
import { wrongPolicies, wrongReaders } from './wrong-policies.ts';

export type Plan = {
  organizationId: string;
  /** Of the files and of what they were compared with. */
  digest: string;
  steps: Step[];
  /** What the reader should know beside the requests. */
  notes: string[];
  changes: PolicyChange[];
  live: Live;
  ids: Ids;
};

const textsIn = ({ condition, consensus, time }: Omit<Texts, 'effect'>) => ({ condition, consensus, time });

/**
 * The texts of policies and controls that decide while tags change. New ones that restrict are in force by then: a plan that goes on after
 * a kill finds them there.
 */
function inForce(
  live: Live,
  changes: readonly PolicyChange[],
  controls: readonly { parameters: Wanted['controls'][number]['parameters'] }[],
): string[] {
  const gone = changes.filter(({ before, after }) => before?.effect === 'EFFECT_ALLOW' && after === undefined);
  const names = new Set(gone.map(({ name }) => name));
  const texts = changes.flatMap(({ before, after }) =>
    after && (before || after.effect === 'EFFECT_DENY') ? [textOf(after)] : [],
  );
  const policies = live.policies.filter(({ name }) => !names.has(name)).map(textOf);
  return [
    ...policies,
    ...texts,
    ...[...live.controls, ...controls].map(({ parameters }) => JSON.stringify(parameters.countersign ?? {})),
  ];
}

/** Compares the files with the organization. Throws UsageError with the places of what is wrong. */
export async function makePlan(wanted: Wanted, live: Live, prune: ReadonlySet<string>): Promise<Plan> {
  for (const kind of prune)
    if (!wanted.kinds.has(kind))
      refuse([`--prune=${kind} would delete all ${kind}, since no file has ${kind}: write "${kind}: []" if you mean it`]);
  refuse(
    wanted.organizations
      .filter(({ id }) => id !== live.organizationId)
      .map(
        ({ id, place }) =>
          `${place}: this file is for the organization ${id}, and the credentials are for ${live.organizationId}`,
      ),
  );
  const names = namesOf(wanted, live);
  for (const one of wanted.policies)
    for (const part of ['condition', 'consensus', 'time'] as const) names.check(one[part], one.place([part]));
  for (const { parameters, place } of wanted.controls) names.checkAll(parameters, place);
  const wantedTags = new Set(wanted.tags.map(({ name }) => name));
  const pruned = prune.has('tags') ? live.tags.filter(({ name }) => !wantedTags.has(name)) : [];
  const wish = peopleWish(wanted, live, names, pruned);
  refuse([...names.wrong, ...wish.wrong]);

  const policies = wanted.policies.map(({ place, ...texts }) => ({ ...texts, ...withIds(textsIn(texts), names.ids), place }));
  const checked = await checkedControls(
    wanted.controls.map((one) => ({ ...one, parameters: withIds(one.parameters, names.ids) })),
  );
  const controls = controlSteps(checked.controls, live.controls, prune.has('controls'));
  const changes = policyChanges(policies, live.policies, prune.has('policies'));
  refuse([...(await wrongPolicies(policies, changes)), ...checked.wrong, ...controls.wrong]);

  const peopleChange = wish.moved.length > 0 || wish.made.length > 0;
  const isAlone = !peopleChange && changes.filter(({ isDecisive }) => isDecisive).length === 1;
  const ofPolicies = policySteps(changes, isAlone);
  const early = [...controls.steps, ...ofPolicies].filter(({ group }) => group === 'controls' || group === 'restrict');
  const liveTags = new Set(live.tags.map(({ name }) => name));
  const newTags = wanted.tags
    .filter(({ name }) => !liveTags.has(name))
    .map(({ name, place }) => ({ name, id: names.tag(name, place()) }));
  const tagNames = new Map([...live.tags, ...newTags].map(({ id, name }) => [id, name]));
  const people = peopleSteps({ wish, newTags, tagNames }, early, inForce(live, changes, checked.controls));
  const goes = new Set(changes.flatMap(({ name, after }) => (after === undefined ? [name] : [])));
  const replaced = new Set(policies.map(({ name }) => name));
  const final = [...live.policies.filter(({ name }) => !goes.has(name) && !replaced.has(name)), ...policies];
  const readers = final.map((policy) => ({ name: `the policy "${policy.name}"`, text: textOf(policy) }));
  const scopes = [...controls.kept, ...checked.controls].map(({ identifier, parameters }) => ({
    name: `the control "${identifier}"`,
    text: JSON.stringify(parameters.countersign ?? {}),
  }));
  const removals = tagRemovals(pruned, live, [...readers, ...scopes]);
  refuse([...people.wrong, ...removals.wrong, ...(await wrongReaders(controls.pruned, final))]);

  const steps = inOrder([...people.steps, ...ofPolicies, ...controls.steps, ...removals.steps]);
  const own = await ownRight(steps, live.policies, live.caller);
  refuse(own.wrong);
  const { organizationId } = live;
  const known = { organizationId, policies: live.policies, tags: live.tags, controls: live.controls, ids: [...names.ids], steps };
  const digest = `sha256:${createHash('sha256').update(canonical(known)).digest('hex')}`;
  const notes = [
    ...policyNotes(changes, live, policies, prune),
    ...memberNotes(changes, live, wanted),
    ...controls.notes,
    ...own.notes,
  ];
  return { organizationId, digest, steps, notes, changes, live, ids: names.ids };
}
