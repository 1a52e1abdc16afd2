import type { CompiledExpression } from '../decide/compile.ts';
import type { Request } from '../evaluate/context.ts';
import { evaluatePart, formatFailure } from '../evaluate/outcome.ts';

/** Whether a condition is surely false: one that fails is not. */
export function isFalse({ program }: CompiledExpression, request: Request): boolean {
  const result = evaluatePart(program, request);
  return result.ok && result.value !== true;
}

/** Evaluates a condition outside policies. The caller decides whether an error means false. */
export function evaluateExpression(
  expression: CompiledExpression,
  request: Request,
): { readonly ok: true; readonly value: boolean } | { readonly ok: false; readonly message: string } {
  const result = evaluatePart(expression.program, request);
  if (result.ok) return { ok: true, value: result.value === true };
  return { ok: false, message: formatFailure('condition', expression.source, result.failure) };
}
