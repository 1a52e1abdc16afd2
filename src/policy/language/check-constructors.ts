import type { ConstructorCall, Expr } from './ast.ts';
import { type Checker, refuse } from './checker.ts';
import { type Constructor, constructorNamed, constructors, methodNamed } from './functions.ts';
import { didYouMean } from './suggest.ts';
import { type Type, typeName } from './types.ts';

type Infer = (expr: Expr) => Type | undefined;

/** The type of a call by name. `infer`: the type of an argument. */
export function constructorType(c: Checker, call: ConstructorCall, infer: Infer): Type | undefined {
  const row = constructorNamed(call.name);
  if (row === undefined) {
    const names = constructors.map(({ name }) => name);
    const hint =
      methodNamed(call.name) === undefined
        ? didYouMean(call.name, names)
        : `call it on a value: \`${methodNamed(call.name)!.signature}\``;
    return refuse(c, `there is no function \`${call.name}\``, call.nameSpan, hint);
  }
  if (row.part !== undefined && row.part !== c.part) {
    return refuse(c, `\`${row.name}\` cannot be used in the ${c.part}`, call.span, `it belongs to the ${row.part} of a policy`);
  }
  if (call.args.length !== row.arity) {
    const wanted = row.arity === 1 ? 'one argument' : `${row.arity} arguments`;
    return refuse(c, `\`${row.name}\` takes ${wanted}`, call.span, `write \`${row.signature}\``);
  }
  if (row.read === undefined) return textType(c, call, row, infer);
  const texts: string[] = [];
  for (const arg of call.args) {
    if (arg.kind === 'literal' && typeof arg.value === 'string') texts.push(arg.value);
    else return refuse(c, `the arguments of \`${row.name}\` must be string literals`, arg.span);
  }
  const reading = row.read(texts);
  if (!reading.ok) return refuse(c, reading.message, call.args[reading.argument]!.span, reading.hint);
  c.facts.set(call, { type: row.result, constant: reading.value });
  return row.result;
}

/** A text as another type. One with an equality of its own would lose it. */
function textType(c: Checker, call: ConstructorCall, { name, result }: Constructor, infer: Infer): Type | undefined {
  const [argument] = call.args as [Expr];
  const given = infer(argument);
  if (given === undefined) return undefined;
  const isOwn = given.kind === 'string' && typeof given.form === 'object';
  if ((given.kind === 'string' && !isOwn) || given.kind === 'dynamic') {
    c.facts.set(call, { type: result });
    return result;
  }
  const hint = isOwn ? 'compare it without the function: it has its own rule' : undefined;
  return refuse(c, `\`${name}\` needs a string, but this is \`${typeName(given)}\``, argument.span, hint);
}
