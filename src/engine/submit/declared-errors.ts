import { ApiError, type ErrorCode } from '../../base/errors.ts';
import type { Engine } from '../engine.ts';
import { SubmitterGone } from './submitter.ts';

type Operation = { name: string; errors: readonly ErrorCode[] };

/** Reports a code that the operation does not list as a server fault. */
export function checkDeclared(engine: Pick<Engine, 'fault'>, { name, errors }: Operation, error: ApiError): void {
  // Every activity that reads its submitter may find the submitter gone.
  if (!errors.includes(error.code) && !(error instanceof SubmitterGone)) engine.fault(name, error);
}

/** The same for an error that the work throws, which is rethrown unchanged. */
export async function withDeclaredErrors<T>(
  engine: Pick<Engine, 'fault'>,
  operation: Operation,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError) checkDeclared(engine, operation, error);
    throw error;
  }
}
