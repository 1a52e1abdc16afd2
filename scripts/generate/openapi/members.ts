/** Descriptions of a request's parameters and of its results, out of the operation's summary and their shapes. */
import type { Schema } from './shapes.ts';

const codes = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');

const namesOf = ({ properties = {} }: Schema): string[] => Object.keys(properties as object);

export function aboutParameters(summary: string, shape: Schema): string {
  const required = (shape.required ?? []) as string[];
  const optional = namesOf(shape).length > 0 ? 'All are optional.' : 'There are none.';
  return `Parameters of: ${summary}. ${required.length > 0 ? `Required: ${codes(required)}.` : optional}`;
}

export function aboutResult(summary: string, type: string, shape: Schema): string {
  const names = namesOf(shape);
  return `Result of: ${summary}. A completed \`${type}\` has it${names.length > 0 ? `, with ${codes(names)}` : ', and it is empty'}.`;
}
