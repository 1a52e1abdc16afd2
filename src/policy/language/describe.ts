import type { Environment } from './environment.ts';
import { constructors, methods } from './functions.ts';

import type { Part } from './problem.ts';
import type { Shapes } from './shapes.ts';
import { type StructType, type Type, typeName } from './types.ts';

/** An environment as plain data: published for tools, and compared with the documentation. */
export type Description = {
  readonly roots: readonly { readonly keyword: string; readonly part: Part; readonly type: string }[];
  readonly structs: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Struct → alias → field. */
  readonly aliases: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Activity type → the parameters that policies may use. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  /** At most one root of each list is present at a time. */
  readonly exclusive: Environment['exclusive'];
  /** Struct → field → its possible texts: one of `values`, or any that matches the whole pattern. See `TextShape`. */
  readonly texts: Shapes;
  readonly functions: readonly { readonly name: string; readonly signature: string }[];
};

export function describeEnvironment(environment: Environment): Description {
  const structs: Record<string, Record<string, string>> = {};
  const aliases: Record<string, Readonly<Record<string, string>>> = {};
  let parameters: Readonly<Record<string, readonly string[]>> = {};
  const visit = (type: Type): void => {
    if (type.kind === 'list' || type.kind === 'map') visit(type.of);
    if (type.kind !== 'struct' || Object.hasOwn(structs, type.name)) return;
    structs[type.name] = fieldsOf(type);
    if (type.aliases !== undefined) aliases[type.name] = type.aliases;
    if (type.tag !== undefined) parameters = type.tag.fieldsOf;
    for (const field of Object.values(type.fields)) visit(field);
  };
  const roots = [...environment.roots.values()].map(({ keyword, part, type }) => {
    visit(type);
    return { keyword, part, type: typeName(type) };
  });
  const functions = [...methods, ...constructors].map(({ name, signature }) => ({ name, signature }));
  const { exclusive, shapes: texts } = environment;
  return { roots, structs, aliases, parameters, exclusive, texts, functions };
}

function fieldsOf(type: StructType): Record<string, string> {
  const named = Object.entries(type.fields).map(([name, field]) => [name, typeName(field)]);
  return Object.fromEntries(type.open === undefined ? named : [...named, ['<identifier>', typeName(type.open)]]);
}
