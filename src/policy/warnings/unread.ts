import { analyse } from '../decide/compile.ts';
import type { NamedPolicy } from '../decide/policy-index.ts';
import { textKey } from '../evaluate/values.ts';
import type { Environment } from '../language/environment.ts';
import { policyError } from '../language/problem.ts';
import { rootsIn } from './expression-roots.ts';
import { quoted } from './literals.ts';
import { analysedOf, areApart, asOftenAs, type Known, leftOpen, type NamedWarning, narrowed, reachIn } from './policy-pairs.ts';
import { type Profile, profilesOf, profilesOfRow } from './profiles.ts';
import { mayHold } from './scopes.ts';
import type { PolicyWarning } from './warning.ts';

/** The most policies named in one warning. */
const NAMED = 3;

/**
 * Warns of a DENY policy about signed content, if an ALLOW policy lets the same key sign bytes unread. Those bytes
 * may be the hash of the denied content. No warning if other DENY policies close every such way around.
 */
export function waysAround(policies: readonly NamedPolicy[], environment: Environment): NamedWarning[] {
  const known = analysedOf(policies, environment);
  const denies = known.filter(({ policy }) => policy.effect === 'EFFECT_DENY');
  const unread = unreadProfiles(environment);
  const aboutUnread = known.filter(({ analysed }) => reachIn(environment, unread, analysed).t !== 0n);
  const allows = aboutUnread.filter(({ policy }) => policy.effect === 'EFFECT_ALLOW');
  if (allows.length === 0) return [];
  return denies.flatMap((deny) => {
    const { source } = deny.policy;
    const span =
      deny.analysed && rootsIn(deny.analysed.expr, deny.analysed.facts).find(({ root }) => environment.signed.includes(root));
    if (span === undefined) return [];
    const closing = aboutUnread.filter(({ policy }) => policy.effect === 'EFFECT_DENY' && asOftenAs(policy, deny.policy));
    const around: string[] = [];
    for (const allow of allows) {
      if (around.length > NAMED) break;
      if (!areApart(allow, deny) && isAround(environment, unread, allow, deny, closing)) around.push(allow.id);
    }
    if (around.length === 0) return [];
    const names = around.slice(0, NAMED).map((id) => `"${id}"`);
    const by = `${names.join(', ')}${around.length > NAMED ? ' and others' : ''}`;
    const message = `a hash of the denied data can still be signed: ${by} ${names.length > 1 ? 'let' : 'lets'} ${kindsOf(environment).join(' and ')} sign bytes that no policy reads`;
    const hint = `add a DENY with the condition ${closingCondition(environment)}`;
    const text = source.condition.slice(span.span.start, span.span.end);
    const error = policyError('condition', source.condition, { message, span: span.span, hint });
    return [{ id: deny.id, warning: { ...error, text } }];
  });
}

function isAround(
  environment: Environment,
  unread: readonly Profile[],
  allow: Known,
  deny: Known,
  closing: readonly Known[],
): boolean {
  const open = narrowed(unread, allow);
  const left = leftOpen(environment, open, allow, closing);
  if (left === 0n) return false;
  const signer = ({ roots }: Profile): string => [...roots].filter((root) => !environment.signed.includes(root)).join();
  const signers = new Set(open.filter((_, at) => (left >> BigInt(at)) & 1n).map(signer));
  const read = narrowed(signedProfiles(environment), allow);
  const denied = reachIn(environment, read, deny.analysed).t;
  return read.some((profile, at) => (denied >> BigInt(at)) & 1n && signers.has(signer(profile)));
}

/**
 * Warns of an MFA condition about signed data whose hash can be signed without the factor. It is silent if the condition also holds for
 * bytes that are signed unread, or one of `others` does. They are further conditions of the same user.
 */
export function leavesUnread(source: string, environment: Environment, others: readonly string[]): PolicyWarning | undefined {
  const holdsFor = (text: string, profiles: readonly Profile[]): boolean => {
    const analysed = analyse(text, 'condition', environment, [], true);
    return analysed !== undefined && mayHold(analysed, environment, profiles);
  };
  if (!holdsFor(source, signedProfiles(environment))) return undefined;
  const open = kindsOf(environment).filter((kind) => {
    const unread = unreadProfiles(environment, kind);
    return ![source, ...others].some((text) => holdsFor(text, unread));
  });
  if (open.length === 0) return undefined;
  const message = `a hash of the same data can be signed without this factor: the condition covers no ${open.join(', and no ')}`;
  const hint = `add an MFA policy with the condition ${closingCondition(environment)}`;
  return { ...policyError('condition', source, { message, span: { start: 0, end: source.length }, hint }), text: source };
}

/** Activities that sign content that policies read. */
const signedProfiles = (environment: Environment): Profile[] =>
  profilesOf(environment).filter(({ roots }) => environment.signed.some((root) => roots.has(root)));

/** Activities that sign content that policies cannot read, of one kind if it is given. */
function unreadProfiles(environment: Environment, kind?: string): Profile[] {
  return environment.activities.flatMap((row) => {
    if (row.unread === undefined || row.kind !== (kind ?? row.kind)) return [];
    const parameters = Object.entries(row.unread).map(([name, values]): [string, ReadonlySet<string>] => {
      return [`activity.params.${name}`, new Set(values.map((value) => textKey(value, 'plain')))];
    });
    const roots = row.roots.filter((root) => !environment.signed.includes(root));
    return profilesOfRow(environment, row, roots).map((profile) => ({
      ...profile,
      known: new Map([...profile.known, ...parameters]),
    }));
  });
}

function kindsOf({ activities }: Environment): string[] {
  return [...new Set(activities.filter(({ unread }) => unread !== undefined).map(({ kind }) => kind))];
}

/** A condition for all of them, except with parameters that make the signed content readable. */
function closingCondition(environment: Environment): string {
  const list = (texts: readonly string[]): string => `[${texts.map(quoted).join(', ')}]`;
  const clauses = [`activity.kind in ${list(kindsOf(environment))}`];
  for (const [name, values] of Object.entries(environment.activities.find(({ unread }) => unread !== undefined)?.unread ?? {})) {
    const readable = environment.shapes.Parameters?.[name]?.values?.filter((value) => !values.includes(value)) ?? [];
    if (readable.length > 0) clauses.push(`!(activity.params.${name} in ${list(readable)})`);
  }
  return clauses.join(' && ');
}
