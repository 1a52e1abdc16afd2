import type { Json } from '../src/base/json.ts';
import { fact, fieldsOf, type Given, listOf, member, type Parameters, type Read, textOf } from './parts.ts';
import type { Fact, Form, Warning } from './types.ts';
import { visible } from './visible.ts';

const red = (code: string, text: string, at?: string): Warning => ({ code, level: 'red', text, ...(at !== undefined && { at }) });
const amber = (code: string, text: string, at?: string): Warning => ({
  code,
  level: 'amber',
  text,
  ...(at !== undefined && { at }),
});

const isId = (text: string): boolean => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Every parameter, by its path. */
const allFacts = (of: Json): Fact[] =>
  [...fieldsOf(of, '')].map(({ path, value }) => fact(path, value, isId(value) ? 'id' : 'text'));

const sentence = (kind: string): string => {
  const text = kind
    .replace(/^COUNTERSIGN_/, '')
    .toLowerCase()
    .replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
};

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

type Old = { readonly [member: string]: unknown } | undefined;

function policyFacts(policy: Parameters, label: string, now: Old): Fact[] {
  const named = POLICY.flatMap(([sent, answered, shown]) => {
    const value = member(policy, sent);
    if (typeof value !== 'string') return [];
    const old = now?.[answered];
    return [fact(`${label}${shown}`, value, 'text', typeof old === 'string' && old !== value ? { before: visible(old) } : {})];
  });
  const known = new Set<string>(POLICY.map(([sent]) => sent));
  const rest = Object.entries(policy).filter(
    ([name]) => !known.has(name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())),
  );
  return [
    ...named,
    ...rest.flatMap(([name, value]) => allFacts({ [name]: value }).map((each) => ({ ...each, label: `${label}${each.label}` }))),
  ];
}

/** Texts and numbers of an expression, and words that name no fact. */
const CONSTANTS = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\b(?:true|false|in)\b|\b\d\w*/g;

/** A policy without a condition or a consensus is true there. One that names no fact may be: `1 == 1`. */
const isAlways = (text: Json | undefined): boolean => typeof text !== 'string' || !/[a-z_]/i.test(text.replace(CONSTANTS, ''));

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

function readPolicy({ kind, parameters, now }: Given): Read {
  const listed = kind === 'CREATE_POLICIES' ? (listOf(parameters, 'policies') as Parameters[]) : [parameters];
  const old = (id: string): Old => now?.policies?.find(({ policyId }) => policyId === id);
  const facts = listed.flatMap((policy, i) =>
    policyFacts(policy, listed.length > 1 ? `${i + 1}: ` : '', old(textOf(policy, 'policyId'))),
  );
  const warnings = listed.flatMap((policy, i) =>
    policyWarnings(policy, listed.length > 1 ? `parameters.policies[${i}]` : 'parameters', kind),
  );
  const deleted = [textOf(parameters, 'policyId'), ...listOf(parameters, 'policyIds').map(String)].flatMap((id) => {
    const before = kind.startsWith('DELETE') ? old(id) : undefined;
    return before === undefined
      ? []
      : policyFacts(before as Parameters, 'deleted: ', undefined).map((each) => ({ ...each, before: each.value, value: '' }));
  });
  const name = textOf(parameters, 'policyName');
  const title = name === '' ? sentence(kind) : `${sentence(kind)} “${visible(name)}”`;
  return { title, form: 'policy', facts: [...facts, ...deleted], warnings };
}

function readRootQuorum({ parameters, now }: Given): Read {
  const threshold = member(parameters, 'threshold');
  const ids = listOf(parameters, 'userIds').map(String);
  const old = now?.rootQuorum;
  const nameOf = (id: string): string | undefined => now?.users?.find(({ userId }) => userId === id)?.userName;
  const user = (id: string, label: string): Fact => {
    const name = nameOf(id);
    return fact(label, id, 'id', name === undefined ? {} : { note: `${visible(name)}, as the service says` });
  };
  const gone = old?.userIds.filter((id) => !ids.includes(id)) ?? [];
  const facts = [
    fact(
      'root users that must agree',
      String(threshold),
      'number',
      old && String(old.threshold) !== String(threshold) ? { before: String(old.threshold) } : {},
    ),
    ...ids.map((id) => user(id, old === undefined || old.userIds.includes(id) ? 'root user' : 'new root user')),
    ...gone.map((id) => user(id, 'no root user any more')),
  ];
  const warnings =
    threshold === 1
      ? [red('decides-alone', `Each of ${ids.length} root users can then decide everything alone`)]
      : threshold === ids.length
        ? [amber('one-lost-key', 'All root users must then agree: one lost key locks the organization out')]
        : [];
  return { title: `Let ${String(threshold)} of ${ids.length} root users decide`, form: 'people', facts, warnings };
}

const LEAVES = red('key-leaves', 'The key leaves the service: it can then sign without policies and without a record');
const GIVES = amber('new-credential', 'Its holder can then act as the user');

const REACHES = amber('new-contact', 'Its holder may then log in as the user, or recover its credentials');

function readUser({ kind, parameters }: Given): Read {
  const reaches = ['userEmail', 'userPhoneNumber'].some((name) => textOf(parameters, name) !== '');
  return { title: sentence(kind), form: 'people', facts: allFacts({ ...parameters }), warnings: reaches ? [REACHES] : [] };
}

type Row = { readonly form: Form; readonly warnings?: readonly Warning[]; read?(given: Given): Read };

/** By the kind's name. The first that fits counts. */
const ROWS: readonly (readonly [kinds: RegExp, row: Row])[] = [
  [/^(?:CREATE|UPDATE|DELETE)_POLIC(?:Y|IES)$/, { form: 'policy', read: readPolicy }],
  [/^UPDATE_ROOT_QUORUM$/, { form: 'people', read: readRootQuorum }],
  [/^EXPORT_(?:WALLET|WALLET_ACCOUNT|PRIVATE_KEY|SECRETS)$/, { form: 'export', warnings: [LEAVES] }],
  [/VELOCITY/, { form: 'velocity' }],
  [/^COUNTERSIGN_(?:UN)?FREEZE$/, { form: 'freeze' }],
  [
    /^(?:CREATE_(?:API_KEYS|AUTHENTICATORS|OAUTH_PROVIDERS|USERS|API_ONLY_USERS|INVITATIONS)|COUNTERSIGN_RECOVER_ROOT_USER|RECOVER_USER)$/,
    { form: 'people', warnings: [GIVES] },
  ],
  [/^UPDATE_USER(?:_EMAIL|_PHONE_NUMBER)?$/, { form: 'people', read: readUser }],
  [/USER|API_KEYS|AUTHENTICATORS|OAUTH_PROVIDERS|INVITATION|MFA_POLICY|SESSION/, { form: 'people' }],
  [
    /^(?:SPARK_)/,
    { form: 'raw', warnings: [red('raw', 'Not decoded: amounts and recipients of Spark are not in what is signed')] },
  ],
  [
    /^COUNTERSIGN_(?:SPEED_UP|CANCEL)_SEND$/,
    { form: 'other', warnings: [amber('names-a-send', 'It names a send by its id: look at that send too')] },
  ],
];

/** Any activity that signs nothing of a chain: all its parameters, and what they give away. */
export function readAdministration(given: Given): Read {
  const { kind, parameters } = given;
  const row = ROWS.find(([kinds]) => kinds.test(kind))?.[1] ?? { form: 'other' as const };
  if (row.read !== undefined) return row.read(given);
  return { title: sentence(kind), form: row.form, facts: allFacts({ ...parameters }), warnings: row.warnings ?? [] };
}
