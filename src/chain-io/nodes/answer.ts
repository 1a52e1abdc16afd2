import { isObject, parseJson } from '../../base/json.ts';
import type { SaidError } from './types.ts';

export type Shape = { depth: number; keys: number };

export type RpcAnswer = { result: unknown } | { error: SaidError };

/** Whole numbers that a double would round become bigints. ECMA-262 "JSON.parse source text access". */
function exact(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined && /^-?\d{16,}$/.test(source) ? BigInt(source) : value;
}

function saidOf(error: unknown): SaidError | undefined {
  if (typeof error === 'string') return { code: 0, message: error, data: undefined };
  if (!isObject(error)) return undefined;
  const { code, message, data } = error;
  if (typeof message !== 'string' && code === undefined) return undefined;
  const number = Number(code);
  return { code: Number.isSafeInteger(number) ? number : 0, message: typeof message === 'string' ? message : '', data };
}

function parsed(body: Uint8Array, shape: Shape): unknown {
  const read = parseJson(body, shape);
  if ('error' in read) return undefined;
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  return /\d{16}/.test(text) ? JSON.parse(text, exact) : read.value;
}

/** The answer to the request with this id; undefined if it is none. An error about no particular request may have no id. */
export function readAnswer(body: Uint8Array, id: number, shape: Shape): RpcAnswer | undefined {
  const answer = parsed(body, shape);
  if (!isObject(answer)) return undefined;
  const error = saidOf(answer.error);
  if (error !== undefined) return answer.id === id || answer.id === undefined || answer.id === null ? { error } : undefined;
  if (answer.id !== id || answer.result === undefined) return undefined;
  return { result: answer.result };
}

/**
 * The answers to several requests by their ids; an id that is answered twice has none. Or one error about all of them; or undefined
 * if it is neither.
 */
export function readAnswers(
  body: Uint8Array,
  shape: Shape,
): { answers: ReadonlyMap<number, RpcAnswer> } | { error: SaidError } | undefined {
  const given = parsed(body, shape);
  const all = Array.isArray(given) ? given : [given];
  const [first] = all;
  const general = all.length === 1 && isObject(first) && typeof first.id !== 'number' ? saidOf(first.error) : undefined;
  if (general !== undefined) return { error: general };
  if (!Array.isArray(given)) return undefined;
  const answers = new Map<number, RpcAnswer>();
  const twice = new Set<number>();
  for (const answer of given) {
    if (!isObject(answer) || typeof answer.id !== 'number') continue;
    const error = saidOf(answer.error);
    if (answers.has(answer.id)) twice.add(answer.id);
    if (error !== undefined) answers.set(answer.id, { error });
    else if (answer.result !== undefined) answers.set(answer.id, { result: answer.result });
  }
  for (const id of twice) answers.delete(id);
  return { answers };
}
