import { fact, type Given, listOf, member, type Parameters, type Read, textOf } from '../parts.ts';
import type { Fact, Warning } from '../types.ts';
import { visible } from '../visible.ts';
import { type Alone, ANYONE, alwaysTrue, isAnyone, oneAlone } from './always.ts';
import { amber, ending, otherFacts, red, sentence } from './parts.ts';

/** Names of a policy's members: in requests, in the service's answers, and here. */
const POLICY = [
  ['policyName', 'policyName', 'name'],
  ['effect', 'effect', 'effect'],
  ['policyEffect', 'effect', 'effect'],
  ['condition', 'condition', 'condition'],
  ['policyCondition', 'condition', 'condition'],
  ['consensus', 'consensus', 'consensus'],
  ['policyConsensus', 'consensus', 'consensus'],
  ['time', 'time', 'time'],
  ['notes', 'notes', 'notes'],
  ['policyNotes', 'notes', 'notes'],
] as const;

/** Members that decide what a policy does. */
const STAYING = ['effect', 'condition', 'consensus', 'time'] as const;

type Old = { readonly [member: string]: unknown } | undefined;

/** What an update leaves as it is. */
const stayingFacts = (changed: readonly Fact[], label: string, now: NonNullable<Old>): Fact[] =>
  STAYING.flatMap((name) => {
    const value = now[name];
    if (typeof value !== 'string' || value === '' || changed.some((each) => each.label === `${label}${name}`)) return [];
    return [fact(`${label}${name}`, value, 'text', { note: 'stays, as the service says' })];
  });

function policyFacts(policy: Parameters, label: string, now: Old): Fact[] {
  const changed = POLICY.flatMap(([sent, answered, shown]) => {
    const value = member(policy, sent);
    if (typeof value !== 'string') return [];
    const old = now?.[answered];
    return [fact(`${label}${shown}`, value, 'text', typeof old === 'string' && old !== value ? { before: visible(old) } : {})];
  });
  const rest = otherFacts(
    { ...policy },
    undefined,
    POLICY.map(([sent]) => sent),
  );
  const staying = now === undefined ? [] : stayingFacts(changed, label, now);
  return [...changed, ...rest.map((each) => ({ ...each, label: `${label}${each.label}` })), ...staying];
}

const OPENS = 'What this policy forbids, others may then allow';
const CHANGES = 'This policy forbids by what changes here. What it forbids no more, others may then allow';

const MOST_NAMED = 5;

/** The one person, in words. */
function aloneText({ users = [], who }: Alone): string {
  const [one] = users;
  const named =
    users.length > MOST_NAMED ? `each of ${users.length} users that it names` : `each of the users ${users.join(', ')}`;
  const byIds = one === undefined ? [] : [users.length === 1 ? `user ${one}` : named];
  const byProperty = who === undefined ? [] : [`any one user of whom this holds: ${who}`];
  const text = [...byIds, ...byProperty].join(', or ') || 'any one user of this organization';
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const ALWAYS = {
  all: 'This policy allows every activity that policies can allow',
  named: 'Its condition is always true: this policy allows every activity that has what the condition names',
} as const;

const UNLESS = 'unless it forbids, as the service says';

/** The service's word can add warnings, and takes away none that the body gives. */
function policyWarnings(policy: Parameters, at: string, kind: string, now: Old): Warning[] {
  const isNew = kind.startsWith('CREATE');
  const effect = textOf(policy, 'effect') || textOf(policy, 'policyEffect');
  const forbids = effect === '' && now?.effect === 'EFFECT_DENY';
  const old = forbids ? undefined : now;
  // The first versions have selectors. An update says only what changes.
  const hasSelectors = listOf(policy, 'selectors').length > 0;
  if (effect === 'EFFECT_DENY' || hasSelectors || kind.startsWith('DELETE')) return [];
  const part = (name: 'condition' | 'consensus') => {
    const given = member(policy, isNew ? name : name === 'condition' ? 'policyCondition' : 'policyConsensus');
    const changes = isNew || given !== undefined;
    const text = given ?? (isNew ? '' : old?.[name]);
    return { changes, text: typeof text === 'string' ? text.trim() : undefined };
  };
  const [condition, consensus] = [part('condition'), part('consensus')];
  // A policy without a condition or a consensus is true there.
  const always = condition.text === undefined ? undefined : condition.text === '' ? 'all' : alwaysTrue(condition.text);
  const alone = consensus.text === undefined ? undefined : consensus.text === '' ? ANYONE : oneAlone(consensus.text);
  const found: Warning[] = [];
  const danger = (code: string, text: string) => found.push(red(code, forbids ? `${text}, ${UNLESS}` : text, at));
  const acts = alone && (isAnyone(alone) ? consensus.changes : always !== undefined && (condition.changes || consensus.changes));
  if (acts) danger('no-consensus', `${aloneText(alone)} can do alone what this policy allows`);
  if (always !== undefined && condition.changes) danger('no-condition', ALWAYS[always]);
  return found;
}

/** New, changed and deleted policies, each beside what holds now. */
export function readPolicy({ kind, parameters, now }: Given): Read {
  const listed = kind === 'CREATE_POLICIES' ? (listOf(parameters, 'policies') as Parameters[]) : [parameters];
  // Clients write ids in either case.
  const old = (id: string): Old => now?.policies?.find(({ policyId }) => policyId.toLowerCase() === id.toLowerCase());
  const isDeletion = kind.startsWith('DELETE');
  const facts = listed.flatMap((policy, i) =>
    policyFacts(policy, listed.length > 1 ? `${i + 1}: ` : '', isDeletion ? undefined : old(textOf(policy, 'policyId'))),
  );
  const warnings = listed.flatMap((policy, i) =>
    policyWarnings(
      policy,
      listed.length > 1 ? `parameters.policies[${i}]` : 'parameters',
      kind,
      isDeletion ? undefined : old(textOf(policy, 'policyId')),
    ),
  );
  const ids = isDeletion ? [textOf(parameters, 'policyId'), ...listOf(parameters, 'policyIds').map(String)] : [];
  const deleted = ids.flatMap((id) => {
    const before = old(id);
    return before === undefined ? [] : ending(policyFacts(before as Parameters, 'deleted: ', undefined));
  });
  const forbids = (id: string) => old(id)?.effect === 'EFFECT_DENY';
  const opens = ids.some(forbids) ? [amber('denial-ends', OPENS)] : [];
  const isChanged = facts.some(({ label, before }) => before !== undefined && STAYING.some((name) => name === label));
  if (isChanged && forbids(textOf(parameters, 'policyId'))) opens.push(amber('denial-changes', CHANGES));
  const name = textOf(parameters, 'policyName');
  const title = name === '' ? sentence(kind) : `${sentence(kind)} “${visible(name)}”`;
  return { title, form: 'policy', facts: [...facts, ...deleted], warnings: [...warnings, ...opens] };
}
