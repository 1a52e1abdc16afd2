import { type Context, combined, fail } from '../evaluate/context.ts';
import { type Equal, includes } from '../evaluate/equality.ts';
import { readCronSpan, readTimestampText } from '../evaluate/time.ts';
import type { Span } from './ast.ts';
import type { Part } from './problem.ts';
import { BOOL, CASELESS, INT, listOf, TIMESTAMP, type Type, UINT } from './types.ts';

/** Everything about a method call that depends on its place in the source, not on values. */
export type MethodCallSite = {
  readonly span: Span;
  readonly read: (element: unknown) => unknown;
  /** For methods that bind a variable: the predicate on one element, undefined if it failed. */
  readonly predicate: (context: Context, element: unknown) => boolean | undefined;
  readonly equal: Equal;
};

/** A method: one row for the checker, the evaluator and the documentation. */
export type Method = {
  readonly name: string;
  /** The receiver's type. A dynamic value is accepted too, and checked at run time. */
  readonly on: 'list' | 'string';
  /** `element`: one argument, comparable with the list's elements. `predicate`: a variable and a condition on it. */
  readonly takes: 'nothing' | 'element' | 'predicate';
  /** Whether it may be written as a field, without parentheses. */
  readonly bare: boolean;
  readonly signature: string;
  readonly result: (element: Type) => Type;
  readonly run: (context: Context, receiver: unknown, site: MethodCallSite, argument: unknown) => unknown;
};

// The digits of the largest uint. Bounds the cost of long texts.
const hexNumber = /^(?:0x)?([0-9a-fA-F]{1,64})$/;

export const methods: readonly Method[] = [
  {
    name: 'all',
    on: 'list',
    takes: 'predicate',
    bare: false,
    signature: 'list<T>.all(name, bool): bool',
    result: () => BOOL,
    run: (context, list, site) => each(context, list, site, false),
  },
  {
    name: 'any',
    on: 'list',
    takes: 'predicate',
    bare: false,
    signature: 'list<T>.any(name, bool): bool',
    result: () => BOOL,
    run: (context, list, site) => each(context, list, site, true),
  },
  {
    name: 'filter',
    on: 'list',
    takes: 'predicate',
    bare: false,
    signature: 'list<T>.filter(name, bool): list<T>',
    result: listOf,
    run: (context, list, site) => {
      const kept: unknown[] = [];
      let failed = false;
      for (const element of list as readonly unknown[]) {
        const holds = site.predicate(context, element);
        if (holds === undefined) failed = true;
        else if (holds) kept.push(element);
      }
      return failed ? undefined : kept;
    },
  },
  {
    name: 'contains',
    on: 'list',
    takes: 'element',
    bare: false,
    signature: 'list<T>.contains(T): bool',
    result: () => BOOL,
    run: (context, list, site, argument) => includes(context, list as unknown[], argument, site.read, site.equal, site.span),
  },
  {
    name: 'count',
    on: 'list',
    takes: 'nothing',
    bare: true,
    signature: 'list<T>.count(): int',
    result: () => INT,
    run: (_, list) => BigInt((list as unknown[]).length),
  },
  {
    name: 'hex_to_uint',
    on: 'string',
    takes: 'nothing',
    bare: false,
    signature: 'string.hex_to_uint(): uint',
    result: () => UINT,
    run: (context, text, site) => {
      const digits = hexNumber.exec(text as string)?.[1];
      if (digits !== undefined) return BigInt(`0x${digits}`);
      return fail(context, 'hex', 'the string is not a hexadecimal number of 1 to 64 digits', site.span);
    },
  },
];

/** Runs a predicate on every element, whatever the earlier results. An element with the result `settles` decides. */
function each(context: Context, list: unknown, site: MethodCallSite, settles: boolean): boolean | undefined {
  let isSettled = false;
  let failed = false;
  for (const element of list as readonly unknown[]) {
    const holds = site.predicate(context, element);
    if (holds === undefined) failed = true;
    else if (holds === settles) isSettled = true;
  }
  return combined(context, settles, isSettled, failed);
}

type Reading = { ok: true; value: unknown } | { ok: false; argument: number; message: string; hint?: string };

/** A function that is called by its name alone. */
export type Constructor = {
  readonly name: string;
  readonly arity: number;
  /** The part that it belongs to; undefined if any may use it. */
  readonly part: Part | undefined;
  readonly signature: string;
  readonly result: Type;
  /**
   * Its arguments are string literals, parsed at compile time; `read` returns the stored value. Without it, the argument is a text,
   * and the result is the same text of another type.
   */
  readonly read: ((args: readonly string[]) => Reading) | undefined;
};

export const constructors: readonly Constructor[] = [
  {
    name: 'Timestamp',
    arity: 1,
    part: 'time',
    signature: 'Timestamp(string): timestamp',
    result: TIMESTAMP,
    read: ([text]) => readTimestampText(text!),
  },
  {
    name: 'CronSpan',
    arity: 3,
    part: 'time',
    signature: 'CronSpan(string, string, string): bool',
    result: BOOL,
    read: ([cron, duration, zone]) => readCronSpan(cron!, duration!, zone!),
  },
  {
    name: 'CaseInsensitiveString',
    arity: 1,
    part: undefined,
    signature: 'CaseInsensitiveString(string): caseless',
    result: CASELESS,
    read: undefined,
  },
];

const methodsByName: ReadonlyMap<string, Method> = new Map(methods.map((row) => [row.name, row]));
const constructorsByName: ReadonlyMap<string, Constructor> = new Map(constructors.map((row) => [row.name, row]));

export function methodNamed(name: string): Method | undefined {
  return methodsByName.get(name);
}

export function constructorNamed(name: string): Constructor | undefined {
  return constructorsByName.get(name);
}
