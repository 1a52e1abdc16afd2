import { ApiError, type ErrorCode } from '../../base/errors.ts';
import type { Engine } from '../engine.ts';

/** Reports a code that the operation does not list as a server fault. The error is rethrown unchanged. */
export async function withDeclaredErrors<T>(
  engine: Pick<Engine, 'fault'>,
  operation: { name: string; errors: readonly ErrorCode[] },
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ApiError && !operation.errors.includes(error.code)) engine.fault(operation.name, error);
    throw error;
  }
}
