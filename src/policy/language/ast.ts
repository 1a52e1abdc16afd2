/** Offsets into the source text, end exclusive. */
export type Span = { readonly start: number; readonly end: number };

export type CompareOperator = '==' | '!=' | '<' | '<=' | '>' | '>=' | 'in';

/** The syntax tree. Parentheses have no node: the printer adds those that the structure needs. */
export type Expr =
  | { readonly kind: 'literal'; readonly value: boolean | bigint | string; readonly span: Span }
  | { readonly kind: 'name'; readonly name: string; readonly span: Span }
  | { readonly kind: 'list'; readonly items: readonly Expr[]; readonly span: Span }
  | { readonly kind: 'struct'; readonly fields: readonly StructField[]; readonly span: Span }
  | { readonly kind: 'member'; readonly object: Expr; readonly name: string; readonly nameSpan: Span; readonly span: Span }
  | { readonly kind: 'index'; readonly object: Expr; readonly index: Expr; readonly span: Span }
  | { readonly kind: 'slice'; readonly object: Expr; readonly from: Expr; readonly to: Expr; readonly span: Span }
  | MethodCall
  | ConstructorCall
  | { readonly kind: 'not'; readonly operand: Expr; readonly span: Span }
  | { readonly kind: 'and' | 'or'; readonly operands: readonly Expr[]; readonly span: Span }
  | {
      readonly kind: 'compare';
      readonly operator: CompareOperator;
      readonly left: Expr;
      readonly right: Expr;
      readonly span: Span;
    };

export type StructField = { readonly name: string; readonly nameSpan: Span; readonly value: Expr };

/** `object.name(args)`, or with a bound variable `object.name(variable, args[0])`. */
export type MethodCall = {
  readonly kind: 'method';
  readonly object: Expr;
  readonly name: string;
  readonly nameSpan: Span;
  readonly variable: string | undefined;
  readonly args: readonly Expr[];
  readonly span: Span;
};

/** `Name(args)`. */
export type ConstructorCall = {
  readonly kind: 'constructor';
  readonly name: string;
  readonly nameSpan: Span;
  readonly args: readonly Expr[];
  readonly span: Span;
};

/** The direct children of a node, in source order. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'list':
      return expr.items;
    case 'struct':
      return expr.fields.map((field) => field.value);
    case 'member':
      return [expr.object];
    case 'index':
      return [expr.object, expr.index];
    case 'slice':
      return [expr.object, expr.from, expr.to];
    case 'method':
      return [expr.object, ...expr.args];
    case 'constructor':
      return expr.args;
    case 'not':
      return [expr.operand];
    case 'and':
    case 'or':
      return expr.operands;
    case 'compare':
      return [expr.left, expr.right];
  }
}

/** The operands of a top-level `&&`, nested ones included; otherwise the expression itself. */
export function conjuncts(expr: Expr): Expr[] {
  return expr.kind === 'and' ? expr.operands.flatMap(conjuncts) : [expr];
}
