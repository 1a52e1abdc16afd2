import { isObject, parseJson } from '../base/json.ts';
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

/** The answer to the request with this id; undefined if it is none. An error about no request in particular may have no id. */
export function readAnswer(body: Uint8Array, id: number, shape: Shape): RpcAnswer | undefined {
  const parsed = parseJson(body, shape);
  if ('error' in parsed || !isObject(parsed.value)) return undefined;
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString();
  const answer = (/\d{16}/.test(text) ? JSON.parse(text, exact) : parsed.value) as Record<string, unknown>;
  const error = saidOf(answer.error);
  if (error !== undefined) return answer.id === id || answer.id === undefined || answer.id === null ? { error } : undefined;
  if (answer.id !== id || answer.result === undefined) return undefined;
  return { result: answer.result };
}
