import { literalTexts } from '../evaluate/compare.ts';
import { ABSENT, BAD, type KeyField, type Request, readKey, readRoot } from '../evaluate/context.ts';
import { textKey } from '../evaluate/values.ts';
import { conjuncts, type Expr } from '../language/ast.ts';
import type { Facts } from '../language/checker.ts';
import type { Environment } from '../language/environment.ts';
import { formName, formOf } from '../language/types.ts';

/** A condition's requirement that an indexed field equal one of some strings, given as comparison keys. */
export type Pin = KeyField & {
  readonly keys: ReadonlySet<string>;
  /** The field's position among the environment's indexed fields. */
  readonly rank: number;
};

/**
 * The pins of a condition, and whether it consists only of them. `named`: the fields of its pins, and of comparisons that would be
 * pins if they did not ignore case.
 */
export function pinsOf(
  expr: Expr,
  facts: Facts,
  indexed: Environment['indexed'],
): { readonly pins: readonly Pin[]; readonly whole: boolean; readonly named: readonly string[] } {
  const parts = conjuncts(expr);
  const all = parts.map((conjunct) => pinOf(conjunct, facts, indexed));
  const pins = all.filter((pin) => pin !== undefined);
  const named = parts.flatMap((conjunct) => pinOf(withCase(conjunct, facts), facts, indexed)?.name ?? []);
  return { pins, whole: pins.length === all.length, named };
}

/** A comparison, or several, without the functions that change how its texts compare. */
function withCase(expr: Expr, facts: Facts): Expr {
  const of = (part: Expr): Expr => withCase(part, facts);
  if (expr.kind === 'or') return { ...expr, operands: expr.operands.map(of) };
  if (expr.kind === 'compare') return { ...expr, left: of(expr.left), right: of(expr.right) };
  if (expr.kind === 'list') return { ...expr, items: expr.items.map(of) };
  return textOf(expr, facts);
}

/** The text itself, without the functions that only change how it compares. */
export function textOf(expr: Expr, facts: Facts): Expr {
  return expr.kind === 'constructor' && facts.get(expr)?.type.kind === 'string' ? textOf(expr.args[0]!, facts) : expr;
}

function pinOf(expr: Expr, facts: Facts, indexed: Environment['indexed']): Pin | undefined {
  if (expr.kind === 'or') {
    const all = expr.operands.map((operand) => pinOf(operand, facts, indexed));
    const [first] = all;
    const same = first !== undefined && all.every((pin) => pin?.name === first.name);
    return same ? { ...first, keys: new Set(all.flatMap((pin) => [...pin!.keys])) } : undefined;
  }
  if (expr.kind !== 'compare') return undefined;
  const { operator, left, right } = expr;
  if (operator === 'in') return pin(left, literalTexts(right), facts, indexed);
  if (operator !== '==') return undefined;
  return pin(left, literalText(right), facts, indexed) ?? pin(right, literalText(left), facts, indexed);
}

function literalText(expr: Expr): string[] | undefined {
  return expr.kind === 'literal' && typeof expr.value === 'string' ? [expr.value] : undefined;
}

function pin(path: Expr, texts: readonly string[] | undefined, facts: Facts, indexed: Environment['indexed']): Pin | undefined {
  if (texts === undefined || path.kind !== 'member') return undefined;
  const root = facts.get(path.object)?.root;
  const rank = indexed.findIndex(({ keyword, field }) => keyword === root && field === path.name);
  const type = facts.get(path)?.type;
  const row = indexed[rank];
  if (row === undefined || type?.kind !== 'string') return undefined;
  const form = formOf(type);
  const name = `${row.keyword}.${row.field}${form === 'plain' ? '' : `:${formName(form)}`}`;
  return { ...row, name, form, rank, keys: new Set(texts.map((text) => textKey(text, form))) };
}

/**
 * `no`: the request lacks a pin's root or has another value, so the policy does not match.
 * `unsure`: a value could not be read, so the condition must be evaluated. `fails`: a root is unusable, so the condition fails.
 */
export function pinsHold(pins: readonly Pin[], request: Request): 'yes' | 'no' | 'unsure' | 'fails' {
  let result: 'yes' | 'unsure' | 'fails' = 'yes';
  for (const pin of pins) {
    const key = readKey(request, pin);
    if (key === BAD) result = result === 'fails' || readRoot(request, pin.keyword) === BAD ? 'fails' : 'unsure';
    else if (key === ABSENT || !pin.keys.has(key)) return 'no';
  }
  return result;
}
