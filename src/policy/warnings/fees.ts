import { compileCondition } from '../decide/compile.ts';
import { openRequest } from '../evaluate/context.ts';
import type { Environment } from '../language/environment.ts';
import { isFalse } from '../language/expression.ts';

/** Whether a condition of transfers is false of each fee, whatever else the activity has. `environment`: that of transfers. */
export function leavesOutFee(text: string, environment: Environment): boolean {
  const compiled = compileCondition(text, environment);
  if (!compiled.ok) return false;
  return isFalse(compiled.expression, openRequest({ transfer: { kind: 'fee', token: '', amount: 1n } }));
}
