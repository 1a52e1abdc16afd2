import type { Span } from '../language/ast.ts';
import { TIMESTAMP } from '../language/types.ts';
import { root } from './access.ts';
import { type Code, fail } from './context.ts';
import type { CronSpan } from './time.ts';
import { kindName } from './values.ts';

/** The value of literals that were read when the expression was checked. */
export function constructed(value: unknown, span: Span): Code {
  if (typeof value !== 'function') return () => value;
  const open = value as CronSpan;
  const now = root('time.now', TIMESTAMP, span);
  return (context) => {
    const instant = now(context);
    return instant === undefined ? undefined : open(instant as number);
  };
}

/** A text as another type: types alone decide how it compares. */
export function retyped(name: string, text: Code, span: Span): Code {
  return (context) => {
    const value = text(context);
    if (value === undefined || typeof value === 'string') return value;
    return fail(context, 'kind', `\`${name}\` needs a string, but this is ${kindName(value)}`, span);
  };
}
