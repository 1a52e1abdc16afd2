import { isObject } from '../base/json.ts';

const LONGEST = 16_384;
const MOST = 100;

/** The variables of a template: a JSON object of texts, numbers and truth values, as a string. Undefined if the text is no such object. */
export function templateVariables(text: string): Record<string, string> | undefined {
  if (Buffer.byteLength(text) > LONGEST) return undefined;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(parsed)) return undefined;
  const entries = Object.entries(parsed);
  if (entries.length > MOST) return undefined;
  if (entries.some(([, value]) => !['string', 'number', 'boolean'].includes(typeof value))) return undefined;
  return Object.fromEntries(entries.map(([key, value]) => [key, String(value)]));
}
