import type { Expr, Span } from '../language/ast.ts';
import { DYNAMIC, fieldName, fieldType, type StructType, type Type } from '../language/types.ts';
import { ABSENT, BAD, type Code, type Context, fail, readRoot, spend } from './context.ts';
import { failedElement } from './equality.ts';
import { entryOf, isObject, kindName, reader } from './values.ts';

export function root(keyword: string, type: Type, span: Span): Code {
  const read = reader(type);
  return (context) => {
    const given = readRoot(context.request, keyword);
    if (given === ABSENT) return fail(context, 'absent', `\`${keyword}\` is absent: the activity has none`, span);
    const value = given === BAD ? undefined : read(given);
    if (value !== undefined) return value;
    const why = context.request.unreadable.get(keyword);
    return fail(context, 'value', `\`${keyword}\` could not be read${why === undefined ? '' : `: ${why}`}`, span);
  };
}

export function field(expr: Expr & { kind: 'member' }, object: Code, type: StructType): Code {
  const name = fieldName(type, expr.name)!;
  const read = reader(fieldType(type, name));
  const { nameSpan } = expr;
  return (context) => {
    const value = object(context);
    if (value === undefined) return undefined;
    const given = entryOf(value as object, name) ?? undefined;
    if (given === undefined) return missingField(context, type, name, nameSpan);
    const own = read(given);
    if (own === undefined && type.open !== undefined && typeof given === 'string')
      return fail(context, 'unreadable', `\`${name}\` cannot be told: ${given}`, nameSpan);
    return own === undefined ? fail(context, 'value', `the field \`${name}\` is not of its type`, nameSpan) : own;
  };
}

function missingField(context: Context, type: StructType, name: string, span: Span): undefined {
  const { tag } = type;
  if (type.open !== undefined)
    return fail(context, 'absent', `\`${name}\` is absent: the control does not cover this activity`, span);
  if (tag !== undefined) {
    const holder = readRoot(context.request, tag.root);
    const key = isObject(holder) ? entryOf(holder, tag.field) : undefined;
    const own = typeof key === 'string' && Object.hasOwn(tag.fieldsOf, key) ? tag.fieldsOf[key]! : [];
    if (typeof key === 'string' && !own.includes(name)) {
      return fail(context, 'absent', `\`${name}\` is absent: this activity's type has no such parameter`, span);
    }
  }
  return fail(context, 'missing', `the field \`${name}\` is missing`, span);
}

/** One element, character or entry. */
export function element(expr: Expr & { kind: 'index' }, object: Code, key: Code, type: Type): Code {
  const read = reader(type.kind === 'list' || type.kind === 'map' ? type.of : DYNAMIC);
  const { span } = expr;
  const keySpan = expr.index.span;
  const objectSpan = expr.object.span;
  return (context) => {
    const value = object(context);
    const at = key(context);
    if (value === undefined || at === undefined) return undefined;
    if (isObject(value)) {
      if (typeof at !== 'string')
        return fail(context, 'kind', `a map needs a string as its key, but this is ${kindName(at)}`, keySpan);
      const entry = entryOf(value, at);
      if (entry === undefined) return fail(context, 'missing', 'the key is missing', span);
      const own = read(entry);
      return own === undefined ? fail(context, 'value', 'a map holds a value that is not of its type', span) : own;
    }
    if (typeof value !== 'string' && !Array.isArray(value))
      return fail(context, 'kind', `${kindName(value)} cannot be indexed`, objectSpan);
    const position = positionOf(context, at, keySpan);
    if (position === undefined) return undefined;
    const found = value[position];
    if (found === undefined) return fail(context, 'range', `there is no index ${position}: the length is ${value.length}`, span);
    if (typeof value === 'string') return found;
    const own = read(found);
    return own === undefined ? failedElement(context, span) : own;
  };
}

/** A part of a list or a text. */
export function slice(expr: Expr & { kind: 'slice' }, object: Code, from: Code, to: Code): Code {
  const { span } = expr;
  const [objectSpan, fromSpan, toSpan] = [expr.object.span, expr.from.span, expr.to.span];
  return (context) => {
    const value = object(context);
    const first = from(context);
    const last = to(context);
    if (value === undefined || first === undefined || last === undefined) return undefined;
    if (typeof value !== 'string' && !Array.isArray(value))
      return fail(context, 'kind', `${kindName(value)} cannot be sliced`, objectSpan);
    const start = positionOf(context, first, fromSpan);
    const end = positionOf(context, last, toSpan);
    if (start === undefined || end === undefined) return undefined;
    if (start < 0 || start > end || end > value.length) {
      return fail(context, 'range', `the slice ${start}..${end} is out of range: the length is ${value.length}`, span);
    }
    return spend(context, Array.isArray(value) ? end - start : 0, span) ? value.slice(start, end) : undefined;
  };
}

/** An integer as an index. Those beyond any list or string become -1, which is always out of range. */
function positionOf(context: Context, value: unknown, span: Span): number | undefined {
  if (typeof value !== 'bigint')
    return fail(context, 'kind', `a position must be an integer, but this is ${kindName(value)}`, span);
  return value >= 0n && value <= 0xffff_ffffn ? Number(value) : -1;
}
