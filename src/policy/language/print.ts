import type { Expr } from './ast.ts';

/** Precedence of a node. A child that binds less tightly than its position requires gets parentheses. */
const LOOSEST = 0;
const OR = 1;
const AND = 2;
const COMPARE = 3;
const UNARY = 4;
const POSTFIX = 5;

/** The text of an expression. Parsing it again gives the same tree. */
export function printExpression(expr: Expr): string {
  return print(expr, LOOSEST);
}

function print(expr: Expr, atLeast: number): string {
  const text = bare(expr);
  return tightness(expr) < atLeast ? `(${text})` : text;
}

function tightness(expr: Expr): number {
  switch (expr.kind) {
    case 'or':
      return OR;
    case 'and':
      return AND;
    case 'compare':
      return COMPARE;
    case 'not':
      return UNARY;
    default:
      return POSTFIX;
  }
}

function bare(expr: Expr): string {
  switch (expr.kind) {
    case 'literal':
      return typeof expr.value === 'string' ? quoted(expr.value) : String(expr.value);
    case 'name':
      return expr.name;
    case 'list':
      return `[${all(expr.items)}]`;
    case 'struct':
      return `{ ${expr.fields.map((field) => `${field.name}: ${print(field.value, LOOSEST)}`).join(', ')} }`;
    case 'member':
      return `${print(expr.object, POSTFIX)}.${expr.name}`;
    case 'index':
      return `${print(expr.object, POSTFIX)}[${print(expr.index, LOOSEST)}]`;
    case 'slice':
      return `${print(expr.object, POSTFIX)}[${print(expr.from, LOOSEST)}..${print(expr.to, LOOSEST)}]`;
    case 'method': {
      const args = expr.variable === undefined ? all(expr.args) : `${expr.variable}, ${all(expr.args)}`;
      return `${print(expr.object, POSTFIX)}.${expr.name}(${args})`;
    }
    case 'constructor':
      return `${expr.name}(${all(expr.args)})`;
    case 'not':
      return `!${print(expr.operand, UNARY)}`;
    case 'and':
      return expr.operands.map((operand) => print(operand, COMPARE)).join(' && ');
    case 'or':
      return expr.operands.map((operand) => print(operand, AND)).join(' || ');
    case 'compare':
      return `${print(expr.left, UNARY)} ${expr.operator} ${print(expr.right, UNARY)}`;
  }
}

function all(items: readonly Expr[]): string {
  return items.map((item) => print(item, LOOSEST)).join(', ');
}

function quoted(text: string): string {
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}
