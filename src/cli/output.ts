import { isObject } from '../base/json.ts';
import { UsageError } from './client.ts';
import { linesOf, pathOf } from './field.ts';
import { table } from './table.ts';

const OUTPUTS = ['json', 'table', 'yaml'];

export type OutputOptions = { output?: string | undefined; field: readonly string[]; quiet: boolean; json: boolean };

/** Whether a command must tell what it knows as JSON. Throws UsageError for options that exclude each other, before anything is done. */
export function asksForJson({ output, field, json }: OutputOptions): boolean {
  if (output !== undefined && !OUTPUTS.includes(output))
    throw new UsageError(`--output must be ${OUTPUTS.join(', ')}, not "${output}"`);
  if (output !== undefined && field.length > 0) throw new UsageError('--field prints values alone: leave --output out');
  for (const path of field) pathOf(path);
  return json || output !== undefined || field.length > 0;
}

/** A few commands print text alone, such as a stamp or a script. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('this command prints text alone: leave --output and --field out');
  }
}

/** Makes of a command's JSON the text that the options ask for. It throws CommandFailed for a field that is not there. */
export async function renderer({ output, field, quiet }: OutputOptions): Promise<(text: string) => string> {
  if (field.length > 0) {
    return (text) => {
      const value = jsonIn(text);
      return field.flatMap((path) => linesOf(value, path)).join('');
    };
  }
  if (output === 'yaml') {
    const { stringify } = await import('yaml');
    return (text) => stringify(jsonIn(text), { lineWidth: 0 });
  }
  if (output === 'table') return (text) => table(listIn(jsonIn(text)));
  return (text) => (quiet && output === undefined ? '' : text);
}

/** The list of an answer that holds one, such as the users of list_users. */
function listIn(value: unknown): unknown {
  if (!isObject(value)) return value;
  const lists = Object.values(value).filter(Array.isArray);
  return lists.length === 1 && lists[0]!.every(isObject) && Object.keys(value).length <= 2 ? lists[0] : value;
}
