import type { Expr, Span } from './ast.ts';
import { type Checker, refuse } from './checker.ts';
import { didYouMean } from './suggest.ts';
import type { StructType, Type } from './types.ts';

/** The variables in scope, innermost first. */
export type Scope =
  | { readonly name: string; readonly type: Type | undefined; readonly slot: number; readonly outer: Scope }
  | undefined;

/** The keyword that a name, or a name and a field, may form. */
export function keywordOf(expr: Expr, scope: Scope): string | undefined {
  if (expr.kind === 'name') return find(scope, expr.name) === undefined ? expr.name : undefined;
  if (expr.kind !== 'member' || expr.object.kind !== 'name' || find(scope, expr.object.name) !== undefined) return undefined;
  return `${expr.object.name}.${expr.name}`;
}

export function find(scope: Scope, name: string): Scope {
  let at = scope;
  while (at !== undefined && at.name !== name) at = at.outer;
  return at;
}

/** The second parts of the root keywords that begin with `first`. */
export function namespace(c: Checker, first: string): string[] {
  const prefix = `${first}.`;
  return [...c.environment.roots.keys()]
    .filter((keyword) => keyword.startsWith(prefix))
    .map((keyword) => keyword.slice(prefix.length));
}

/** Reports a name that is neither a variable nor a root. */
export function unknownName(c: Checker, expr: Expr & { kind: 'name' }, scope: Scope): undefined {
  const inside = namespace(c, expr.name);
  if (inside.length > 0) {
    const names = inside.map((name) => `\`${expr.name}.${name}\``).join(', ');
    return refuse(c, `\`${expr.name}\` alone is not a value`, expr.span, `there are ${names}`);
  }
  const known = new Set<string>();
  for (let at = scope; at !== undefined; at = at.outer) known.add(at.name);
  for (const root of c.environment.roots.values())
    if (root.part === c.part && (c.isScope ? !root.policiesOnly : !root.scopesOnly)) known.add(root.keyword.split('.')[0]!);
  const hint = didYouMean(expr.name, known) ?? 'a string needs quotes';
  return refuse(c, `there is no \`${expr.name}\``, expr.span, hint);
}

export function noField(c: Checker, name: string, span: Span, hint: string): undefined {
  return refuse(c, `field does not exist: ${name}`, span, hint);
}

export function fieldList(type: StructType): string {
  return Object.keys(type.fields).join(', ');
}
