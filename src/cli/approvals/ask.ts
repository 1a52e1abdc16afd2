import { CommandFailed } from '../../base/command-failed.ts';
import { isObject } from '../../base/json.ts';
import { type ClientOptions, query } from '../operations.ts';
import { printable } from '../printable.ts';

export type Answer = { readonly [member: string]: unknown };

/** The answer to a query. Throws CommandFailed with the service's refusal. */
export async function ask(name: string, parameters: object, options: ClientOptions): Promise<Answer> {
  const { status, text } = await query(name, JSON.stringify(parameters), { ...options, type: undefined });
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {}
  if (!isObject(answer)) throw new CommandFailed(`the answer to ${name} is no JSON object: is this the address of the service?`);
  if (status < 400) return answer;
  throw new CommandFailed(`refused: ${printable(typeof answer.message === 'string' ? answer.message : `answer ${status}`)}`);
}
