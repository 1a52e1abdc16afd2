import { type Analysed, analyse, type CompiledPolicy } from '../decide/compile.ts';
import { decimalValue, textKey } from '../evaluate/values.ts';
import { childrenOf, conjuncts, type Expr } from '../language/ast.ts';
import type { Facts } from '../language/checker.ts';
import type { Environment } from '../language/environment.ts';
import { MAX_PROBLEMS } from '../language/limits.ts';
import { printExpression } from '../language/print.ts';
import { type Part, policyError } from '../language/problem.ts';
import { formOf, isInteger, type Type } from '../language/types.ts';
import { rootsIn } from './expression-roots.ts';
import { advice, misspelt, quoted } from './literals.ts';
import { laterProfiles, profilesOf } from './profiles.ts';
import { isImpossible, type Literals, lengthOf, type Reach, reachOf, type Subject, there } from './reach.ts';
import { aboutTotals } from './totals.ts';
import type { PolicyWarning } from './warning.ts';

/** Parts of one policy that can never be true, for any request, and limits that a batch exceeds. */
export function warnings(policy: CompiledPolicy, environment: Environment): readonly PolicyWarning[] {
  return [...neverTrue(policy, environment), ...aboutTotals(policy.source.condition, environment)];
}

/** The parts of one policy that can never be true, for any request. Reports only certain cases. */
export function neverTrue(policy: CompiledPolicy, environment: Environment): readonly PolicyWarning[] {
  return (['condition', 'consensus', 'time'] as const).flatMap((part) => warningsOf(policy.source[part], part, environment));
}

/**
 * The literals that no value equals, and limits that a batch exceeds. Nothing else is certain in a scope or an MFA condition,
 * where a failing clause does not fail the whole.
 */
export function literalWarnings(source: string, part: Part, environment: Environment): readonly PolicyWarning[] {
  const analysed = analyse(source, part, environment, [], true);
  if (analysed === undefined) return [];
  const { found, note } = notes(source, part);
  reachOf({ facts: analysed.facts, environment, profiles: [] }, analysed.expr, (node, _reach, _parts, literals) => {
    if (literals !== undefined && found.length < MAX_PROBLEMS) aboutLiterals(source, node, literals, note);
  });
  return [...found, ...(part === 'condition' ? aboutTotals(source, environment, true) : [])].sort(
    (a, b) => a.span.start - b.span.start,
  );
}

type Notes = (span: Expr['span'], message: string, hint?: string, unknown?: PolicyWarning['unknown']) => void;

function notes(source: string, part: Part): { found: PolicyWarning[]; note: Notes } {
  const found: PolicyWarning[] = [];
  const note: Notes = (span, message, hint, unknown) => {
    const problem = hint === undefined ? { message, span } : { message, span, hint };
    const error = policyError(part, source, problem);
    const known = found.some(({ span: { start, end } }) => start === span.start && end === span.end);
    const text = source.slice(span.start, span.end);
    if (!known && found.length < MAX_PROBLEMS) found.push({ ...error, text, ...(unknown && { unknown }) });
  };
  return { found, note };
}

function warningsOf(source: string, part: Part, environment: Environment): PolicyWarning[] {
  const analysed = analyse(source, part, environment, []);
  if (analysed === undefined) return [];
  const { found, note } = notes(source, part);
  const { expr, facts } = analysed;
  const subject: Subject = { facts, environment, profiles: profilesFor(analysed, part, environment) };
  reachOf(subject, expr, (node, reach, parts, literals) => {
    if (found.length >= MAX_PROBLEMS) return;
    if (literals !== undefined) aboutLiterals(source, node, literals, note);
    // Already reported on the part.
    else if (parts.some(({ t }) => t === 0n)) return;
    else if (node.kind === 'and' && aboutEqualities(source, subject, node, note)) return;
    else if (reach.t === 0n) aboutParts(source, subject, node, parts, note);
  });
  return found.sort((a, b) => a.span.start - b.span.start);
}

function profilesFor({ expr, facts }: Analysed, part: Part, environment: Environment): Subject['profiles'] {
  // Consensus and time have a single profile each.
  if (part !== 'condition') {
    const roots = [...environment.roots.values()].filter((root) => root.part === part).map(({ keyword }) => keyword);
    return [{ roots: new Set(roots), parameters: undefined, known: new Map() }];
  }
  const profiles = profilesOf(environment);
  const names = new Set(Object.values(environment.later).flatMap((some) => some.map((name) => textKey(name, 'caseless'))));
  const ofLater = (node: Expr): boolean => {
    if (node.kind === 'literal') return typeof node.value === 'string' && names.has(textKey(node.value, 'caseless'));
    const type = node.kind === 'member' ? facts.get(node.object)?.type : undefined;
    if (node.kind === 'member' && type?.kind === 'struct' && type.tag !== undefined)
      return !profiles.some(({ parameters }) => parameters?.has(node.name));
    return childrenOf(node).some(ofLater);
  };
  return ofLater(expr) ? [...profiles, ...laterProfiles(environment)] : profiles;
}

const LONGEST_SHOWN = 60;

function shown(source: string, { span }: Expr): string {
  const text = source.slice(span.start, span.end).replaceAll(/\s+/g, ' ');
  return `\`${text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text}\``;
}

/** Literals that no value equals. */
function aboutLiterals(source: string, node: Expr, literals: Literals, note: Notes): void {
  const { subject, list, type, shape } = literals;
  const always = node.kind === 'compare' && node.operator === '!=' ? ', so this is always true' : '';
  for (const item of literals.items.filter((each) => isImpossible(each, literals)).slice(0, MAX_PROBLEMS)) {
    const text = String(item.value);
    const message = `${shown(source, subject)} ${list ? 'never holds' : 'is never'} ${quoted(text)}${always}`;
    const length = lengthOf(literals);
    if (isInteger(type)) note(item.span, message, 'it is a number');
    else if (length !== undefined && text.length !== length) note(item.span, message, wrongLength(text, length));
    else if (shape!.values === undefined) note(item.span, message, advice(text, shape!, formOf(type)));
    else {
      const near = misspelt(text, shape!);
      const hint = near === undefined ? advice(text, shape!, formOf(type)) : `did you mean ${quoted(near)}?`;
      note(item.span, message, hint, { near });
    }
  }
}

function wrongLength(text: string, length: number): string {
  const bare = /^0x/i.test(text) && text.length - 2 === length ? ': leave out 0x' : '';
  return `it has ${length} characters, but this text has ${text.length}${bare}`;
}

/** Parts that may each be true, but never together. */
function aboutParts(source: string, { facts, environment }: Subject, node: Expr, parts: readonly Reach[], note: Notes): void {
  const operands = childrenOf(node);
  const last = node.kind === 'and' ? operands.length : operands.length - 1;
  const masks = parts.map((part, at) => (node.kind === 'and' || (node.kind === 'method' && at === last) ? part.t : there(part)));
  let together = masks[0] ?? 0n;
  const second = masks.findIndex((mask) => {
    together &= mask;
    return together === 0n;
  });
  if (second < 1) return;
  const first = masks.findIndex((mask) => (mask & masks[second]!) === 0n);
  const [a, b] = [operands[first < second ? first : -1], operands[second]!];
  const fails = 'and an absent root makes the whole expression fail';
  const pair = a && exclusivePair(environment, rootsIn(a, facts), rootsIn(b, facts));
  const hint = 'write a policy for each';
  if (pair !== undefined) {
    note(b.span, `never true: \`${pair[0]}\` and \`${pair[1]}\` are never present together, ${fails}`, hint);
  } else if (node.kind === 'or') {
    note(b.span, `never true: no activity has all the values that this \`||\` reads, ${fails}`, hint);
  } else {
    const before = a === undefined ? 'the part before it' : shown(source, a);
    note(b.span, `never true: ${before} and ${shown(source, b)} are never true of the same activity`);
  }
}

type Roots = ReturnType<typeof rootsIn>;

function exclusivePair({ exclusive }: Environment, left: Roots, right: Roots): [string, string] | undefined {
  for (const list of exclusive) {
    const has = (roots: Roots) => (keyword: string) => roots.some(({ root }) => root === keyword);
    const [a, b] = [list.find(has(left)), list.findLast(has(right))];
    if (a !== undefined && b !== undefined && a !== b) return [a, b];
  }
  return undefined;
}

/** A clause's demand that a path equal, or not equal, one of some keys. Different keys are never equal. */
type Demand = { readonly path: string; readonly keys: ReadonlySet<string>; readonly not: boolean };

/** Reports clauses of one `&&` that contradict each other on a path. True if there are any. */
function aboutEqualities(source: string, { facts }: Subject, node: Expr, note: Notes): boolean {
  const asked = new Map<string, { is: ReadonlySet<string> | undefined; not: Set<string>; last: Expr }>();
  for (const clause of conjuncts(node)) {
    const demand = demandOf(clause, facts);
    if (demand === undefined) continue;
    const before = asked.get(demand.path);
    const not = new Set([...(before?.not ?? []), ...(demand.not ? demand.keys : [])]);
    const given = demand.not ? before?.is : demand.keys;
    const is = given && new Set([...given].filter((key) => !not.has(key) && (demand.not || before?.is?.has(key) !== false)));
    if (is?.size === 0 && before !== undefined) {
      note(clause.span, `never true: ${shown(source, before.last)} and ${shown(source, clause)} contradict each other`);
      return true;
    }
    asked.set(demand.path, { is, not, last: clause });
  }
  return false;
}

function demandOf(expr: Expr, facts: Facts): Demand | undefined {
  if (expr.kind === 'or') {
    const all = expr.operands.map((operand) => demandOf(operand, facts));
    const [first] = all;
    if (first === undefined || !all.every((each) => each !== undefined && !each.not && each.path === first.path))
      return undefined;
    return { ...first, keys: new Set(all.flatMap((each) => [...each!.keys])) };
  }
  if (expr.kind !== 'compare') return undefined;
  const { operator, left, right } = expr;
  if (operator === 'in') return right.kind === 'list' ? demand(left, right.items, false, facts) : undefined;
  if (operator !== '==' && operator !== '!=') return undefined;
  return demand(left, [right], operator === '!=', facts) ?? demand(right, [left], operator === '!=', facts);
}

function demand(subject: Expr, items: readonly Expr[], not: boolean, facts: Facts): Demand | undefined {
  const type = facts.get(subject)?.type;
  if (subject.kind === 'literal' || type === undefined) return undefined;
  const keys = items.map((item) => keyOf(item, type));
  if (keys.length === 0 || keys.includes(undefined)) return undefined;
  return { path: printExpression(subject), keys: new Set(keys as string[]), not };
}

/** A literal as a key, such that no value of the type equals two literals with different keys. */
function keyOf(item: Expr, type: Type): string | undefined {
  if (item.kind !== 'literal') return undefined;
  const { value } = item;
  if (isInteger(type)) return typeof value === 'boolean' ? undefined : `number ${decimalValue(String(value)) ?? value}`;
  if (type.kind === 'bool' || typeof value === 'boolean') return `${value}`;
  if (typeof value !== 'string') return undefined;
  // A dynamic value may be a number, which has several text forms.
  if (type.kind === 'dynamic') return decimalValue(value) === undefined ? `text ${textKey(value, 'plain')}` : undefined;
  return type.kind === 'string' ? `text ${textKey(value, formOf(type))}` : undefined;
}
