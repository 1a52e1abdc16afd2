import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { issueText } from '../../base/issue-text.ts';
import type { PolicySource } from '../../policy/index.ts';
import { UsageError } from '../client.ts';

const Effect = z
  .enum(['EFFECT_ALLOW', 'EFFECT_DENY', 'ALLOW', 'DENY'])
  .transform((effect) => (effect.startsWith('EFFECT_') ? effect : `EFFECT_${effect}`) as 'EFFECT_ALLOW' | 'EFFECT_DENY');

const Text = z.string().nullish();

const Policy = z
  .strictObject({
    name: z.string().min(1).optional(),
    effect: Effect,
    condition: Text,
    consensus: Text,
    time: Text,
    // The response format of list_policies, so that its policies can be checked unchanged.
    policyName: z.string().optional(),
    policyId: z.string().optional(),
    notes: Text,
    createdAt: z.unknown().optional(),
    updatedAt: z.unknown().optional(),
  })
  .transform(({ name, policyName, effect, condition, consensus, time }, ctx) => {
    const called = name ?? policyName;
    if (called === undefined) ctx.addIssue({ code: 'custom', message: 'is required', path: ['name'] });
    const source: PolicySource = { effect, condition: condition ?? '', consensus: consensus ?? '', time: time ?? '' };
    return { name: called ?? '', source };
  });

const SessionProfile = z
  .strictObject({
    name: z.string().min(1).optional(),
    scope: z.string(),
    // The response format of get_session_profiles.
    sessionProfileName: z.string().optional(),
    sessionProfileId: z.string().optional(),
    expirationSeconds: z.unknown().optional(),
    notes: Text,
    createdAt: z.unknown().optional(),
    updatedAt: z.unknown().optional(),
  })
  .transform(({ name, sessionProfileName, scope }) => ({ name: name ?? sessionProfileName ?? scope, scope }));

const Ids = z.array(z.string()).min(1).optional();

/** As create_velocity_control takes it and list_velocity_controls answers it. Members that no warning reads are not checked. */
const Control = z.looseObject({
  countersign: z
    .looseObject({
      enforcement: z.enum(['POLICY', 'ALWAYS']).optional(),
      scope: z.looseObject({ walletIds: Ids, privateKeyIds: Ids, userTagIds: Ids }).default({}),
    })
    .optional(),
});

const Values = z.record(z.string(), z.unknown());
const Whole = z.union([z.bigint(), z.number()]).transform(Number).pipe(z.int().min(1));

const Approver = z.strictObject({
  id: z.string(),
  tags: z.array(z.string()).default([]),
  email: z.string().default(''),
  alias: z.string().default(''),
  credentials: z
    .array(
      z.strictObject({
        id: z.string().default(''),
        type: z.string().default('CREDENTIAL_TYPE_API_KEY_P256'),
        credential_id: z.string().default(''),
        public_key: z.string().default(''),
      }),
    )
    .default([{ id: '', type: 'CREDENTIAL_TYPE_API_KEY_P256', credential_id: '', public_key: '' }]),
});

const Case = z.strictObject({
  name: z.string().min(1),
  activity: z
    .strictObject({
      type: z.string().regex(/^ACTIVITY_TYPE_[A-Z0-9_]+$/, 'must be a type such as ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2'),
      parameters: Values.optional(),
      kind: z.string().optional(),
      resource: z.string().optional(),
      action: z.string().optional(),
      params: Values.optional(),
    })
    .refine(({ parameters, params }) => parameters === undefined || params === undefined, {
      message: 'give either parameters, as clients submit them, or params, as policies see them',
    }),
  approvers: z.array(Approver).min(1),
  root: z.strictObject({ threshold: Whole.default(1), userIds: z.array(z.string()) }).default({ threshold: 1, userIds: [] }),
  roots: z.union([Values, z.array(Values).min(1)]).default({}),
  controls: z.record(z.string(), z.union([z.boolean(), z.literal('unreadable')], 'must be true, false or unreadable')).optional(),
  now: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional(),
  wanted: z.enum(['ALLOW', 'DENY', 'DENY_EXPLICIT', 'DENY_IMPLICIT', 'CONSENSUS']),
});

const PolicyFile = z
  .strictObject({
    policies: z.array(Policy).optional(),
    sessionProfiles: z.array(SessionProfile).optional(),
    controls: z.array(Control).default([]),
    cases: z.array(Case).default([]),
  })
  .superRefine((file, ctx) => {
    if (!file.policies && !file.sessionProfiles)
      ctx.addIssue({ code: 'custom', message: 'is required (an array)', path: ['policies'] });
    for (const [key, all] of [
      ['policies', file.policies ?? []],
      ['cases', file.cases],
    ] as const) {
      const seen = new Set<string>();
      for (const [i, { name }] of all.entries()) {
        if (seen.has(name))
          ctx.addIssue({ code: 'custom', message: `another one has the name "${name}"`, path: [key, i, 'name'] });
        seen.add(name);
      }
    }
  })
  .transform(({ policies = [], sessionProfiles = [], controls, cases }) => ({
    policies,
    sessionProfiles,
    /** The scopes of limits over time that bind every signer. */
    limits: controls.flatMap(({ countersign }) => (countersign?.enforcement === 'ALWAYS' ? [countersign.scope] : [])),
    cases,
  }));

export type PolicyFile = z.output<typeof PolicyFile>;
export type NamedSource = PolicyFile['policies'][number];
export type NamedScope = PolicyFile['sessionProfiles'][number];
export type PolicyCase = PolicyFile['cases'][number];

/** Parses a file in YAML, of which JSON is a subset. Throws UsageError with the position of every error. */
export function readPolicyFile(name: string): PolicyFile {
  let text: string;
  try {
    text = readFileSync(name, 'utf8');
  } catch (error) {
    throw new UsageError(`${name}: cannot be read: ${(error as Error).message}`);
  }
  // Integers may exceed the precision of a double.
  const document = parseDocument(text, { intAsBigInt: true });
  const [broken] = document.errors;
  if (broken !== undefined) throw new UsageError(`${name}: ${broken.message.trim()}`);
  let content: unknown;
  try {
    content = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new UsageError(`${name}: ${(error as Error).message}`);
  }
  const read = PolicyFile.safeParse(content, { reportInput: true });
  if (read.success) return read.data;
  const problems = read.error.issues.map((issue) => `${name}: ${pathText(issue.path)}${issueText(issue)}`);
  throw new UsageError(problems.join('\n'));
}

function pathText(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '';
  return `${path.map((key, i) => (typeof key === 'number' ? `[${key}]` : `${i === 0 ? '' : '.'}${String(key)}`)).join('')}: `;
}
