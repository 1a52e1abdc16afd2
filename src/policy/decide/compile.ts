import { type Mode, type Program, program } from '../evaluate/evaluate.ts';
import { childrenOf, conjuncts, type Expr } from '../language/ast.ts';
import { check } from '../language/check.ts';
import type { Facts } from '../language/checker.ts';
import type { Environment } from '../language/environment.ts';
import { parse } from '../language/parse.ts';
import { type Part, type Place, type PolicyError, placeOf, policyError } from '../language/problem.ts';
import { type Pin, pinsOf } from './index-keys.ts';

export type Effect = 'EFFECT_ALLOW' | 'EFFECT_DENY';

/** A policy as written. A missing or blank part is always true. */
export type PolicySource = {
  readonly effect: Effect;
  readonly condition?: string | undefined;
  readonly consensus?: string | undefined;
  readonly time?: string | undefined;
};

/** A part of an ALLOW's consensus that a single vote can advance. */
export type Leaf = { readonly kind: 'truth' | 'count'; readonly program: Program };

/** A checked policy, ready for decisions. It depends only on its text and environment, so it can be cached by their hash. */
export type CompiledPolicy = {
  readonly effect: Effect;
  readonly source: Readonly<Record<Part, string>>;
  readonly environment: Environment;
  readonly pins: readonly Pin[];
  /** The condition consists only of its pins. */
  readonly pinned: boolean;
  /** The indexed fields that the condition names: those of its pins, and those that it compares without case. */
  readonly named: readonly string[];
  readonly condition: Program | undefined;
  readonly consensus: Program | undefined;
  readonly leaves: readonly Leaf[];
  readonly time: Program | undefined;
  /** The velocity controls that its condition reads, each once. */
  readonly controls: readonly NamedControl[];
};

/** A velocity control that a condition reads, and the first place where it does. */
export type NamedControl = { readonly name: string; readonly span: Place };

/** A condition outside policies: the scope of a session, or when a second factor is required. */
export type CompiledExpression = { readonly source: string; readonly program: Program | undefined };

export type Analysed = { readonly expr: Expr; readonly facts: Facts };

export function compilePolicy(
  source: PolicySource,
  environment: Environment,
): { ok: true; policy: CompiledPolicy } | { ok: false; errors: readonly PolicyError[] } {
  const errors: PolicyError[] = [];
  const texts = { condition: source.condition ?? '', consensus: source.consensus ?? '', time: source.time ?? '' };
  const condition = analyse(texts.condition, 'condition', environment, errors);
  const consensus = analyse(texts.consensus, 'consensus', environment, errors);
  const time = analyse(texts.time, 'time', environment, errors);
  if (errors.length > 0) return { ok: false, errors };
  const pinned = condition && pinsOf(condition.expr, condition.facts, environment.indexed);
  const policy: CompiledPolicy = {
    effect: source.effect,
    source: texts,
    environment,
    pins: pinned?.pins ?? [],
    pinned: pinned?.whole ?? false,
    named: pinned?.named ?? [],
    condition: condition && program(condition.expr, condition.facts),
    consensus: consensus && program(consensus.expr, consensus.facts),
    leaves: consensus === undefined || source.effect === 'EFFECT_DENY' ? [] : leavesOf(consensus.expr, consensus.facts),
    time: time && program(time.expr, time.facts),
    controls: condition === undefined ? NO_CONTROLS : controlsIn(condition, texts.condition),
  };
  return { ok: true, policy };
}

const NO_CONTROLS: readonly NamedControl[] = [];

/** The fields that are read of a struct whose fields an environment does not know. */
function controlsIn({ expr, facts }: Analysed, source: string): readonly NamedControl[] {
  const found = new Map<string, NamedControl>();
  const visit = (at: Expr): void => {
    for (const child of childrenOf(at)) visit(child);
    if (at.kind !== 'member' || found.has(at.name)) return;
    const type = facts.get(at.object)?.type;
    if (type?.kind === 'struct' && type.open !== undefined)
      found.set(at.name, { name: at.name, span: placeOf(source, at.nameSpan) });
  };
  visit(expr);
  return found.size === 0 ? NO_CONTROLS : [...found.values()];
}

/** Compiles a condition that is not a policy's. */
export function compileCondition(
  source: string,
  environment: Environment,
  mode: Mode = 'strict',
): { ok: true; expression: CompiledExpression } | { ok: false; errors: readonly PolicyError[] } {
  const errors: PolicyError[] = [];
  const analysed = analyse(source, 'condition', environment, errors, true);
  if (errors.length > 0) return { ok: false, errors };
  return { ok: true, expression: { source, program: analysed && program(analysed.expr, analysed.facts, mode) } };
}

/** Parses and checks one part. Undefined if it is blank or invalid; the latter adds to `errors`. */
export function analyse(
  source: string,
  part: Part,
  environment: Environment,
  errors: PolicyError[],
  isScope = false,
): Analysed | undefined {
  if (source.trim() === '') return undefined;
  const parsed = parse(source);
  if (!parsed.ok) {
    errors.push(policyError(part, source, parsed.problem));
    return undefined;
  }
  const checked = check(parsed.expr, part, environment, isScope);
  if (checked.ok) return { expr: parsed.expr, facts: checked.facts };
  errors.push(...checked.problems.map((problem) => policyError(part, source, problem)));
  return undefined;
}

/** The comparisons and quantifiers of a consensus, except negated ones: a vote can only hinder those. */
function leavesOf(expr: Expr, facts: Facts): Leaf[] {
  if (expr.kind === 'and') return conjuncts(expr).flatMap((operand) => leavesOf(operand, facts));
  if (expr.kind === 'or') return expr.operands.flatMap((operand) => leavesOf(operand, facts));
  if (expr.kind === 'literal' || expr.kind === 'not') return [];
  const truth: Leaf = { kind: 'truth', program: program(expr, facts) };
  const counted = countedOf(expr, facts);
  return counted === undefined ? [truth] : [truth, { kind: 'count', program: program(counted, facts) }];
}

/** The count in a comparison that becomes true as the count rises. */
function countedOf(expr: Expr, facts: Facts): Expr | undefined {
  if (expr.kind !== 'compare') return undefined;
  const { operator, left, right } = expr;
  const rising = {
    '>': left,
    '>=': left,
    '<': right,
    '<=': right,
    '==': isCount(left, facts) ? left : right,
    '!=': undefined,
    in: undefined,
  };
  const side = rising[operator];
  return side !== undefined && isCount(side, facts) ? side : undefined;
}

function isCount(expr: Expr, facts: Facts): boolean {
  if (expr.kind === 'member') return expr.name === 'count' && facts.get(expr.object)?.type.kind === 'list';
  return expr.kind === 'method' && expr.name === 'count';
}
