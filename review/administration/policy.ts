import type { Json } from '../../src/base/json.ts';
import { fact, type Given, listOf, member, type Parameters, type Read, textOf } from '../parts.ts';
import type { Fact, Warning } from '../types.ts';
import { visible } from '../visible.ts';
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
  return [...changed, ...staying, ...rest.map((each) => ({ ...each, label: `${label}${each.label}` }))];
}

/** Texts and numbers of an expression, and words that name no fact. */
const CONSTANTS = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b(?:true|false|in)\b|\b\d\w*/g;

/** A policy without a condition or a consensus is true there. One that names no fact may be: `1 == 1`. */
const isAlways = (text: Json | undefined): boolean => typeof text !== 'string' || !/[a-z_]/i.test(text.replace(CONSTANTS, ''));

const OPENS = 'What this policy forbids, others may then allow';
const CHANGES = 'This policy forbids by what changes here. What it forbids no more, others may then allow';

function policyWarnings(policy: Parameters, at: string, kind: string): Warning[] {
  const isNew = kind.startsWith('CREATE');
  const effect = textOf(policy, 'effect') || textOf(policy, 'policyEffect');
  // The first versions have selectors. An update says only what changes.
  const hasSelectors = listOf(policy, 'selectors').length > 0;
  if (effect === 'EFFECT_DENY' || hasSelectors || kind.startsWith('DELETE')) return [];
  const given = (name: 'condition' | 'consensus') =>
    member(policy, isNew ? name : name === 'condition' ? 'policyCondition' : 'policyConsensus');
  const allows = (name: 'condition' | 'consensus') => isAlways(given(name)) && (isNew || given(name) !== undefined);
  const found: Warning[] = [];
  if (allows('consensus')) found.push(red('no-consensus', 'Every user may do alone what this policy allows', at));
  if (allows('condition')) found.push(red('no-condition', 'This policy allows every activity that policies can allow', at));
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
    policyWarnings(policy, listed.length > 1 ? `parameters.policies[${i}]` : 'parameters', kind),
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
