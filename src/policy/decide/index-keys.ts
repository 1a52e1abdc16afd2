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

/** The pins of a condition, and whether it consists only of them. */
export function pinsOf(
  expr: Expr,
  facts: Facts,
  indexed: Environment['indexed'],
): { readonly pins: readonly Pin[]; readonly whole: boolean } {
  const all = conjuncts(expr).map((conjunct) => pinOf(conjunct, facts, indexed));
  const pins = all.filter((pin) => pin !== undefined);
  return { pins, whole: pins.length === all.length };
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
