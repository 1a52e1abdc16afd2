import { ApiError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { interfacePaths } from '../model/interface-names.ts';

/** Longer ones are no slips. Also what of a path is worth repeating. */
export const LONGEST_PATH = 100;

const nameOf = (path: string): string => path.replace(/\/$/, '').replace(/^.*\//, '');

/** Why a path leads nowhere, and which of the served ones was most likely meant. Anybody may ask: bounded work. */
export function noSuchPath(served: readonly string[]): (path: string) => ApiError {
  const byName = new Map(served.filter((path) => path !== '/').map((path) => [nameOf(path), path]));
  const unserved = new Set(interfacePaths.filter((path) => !served.includes(path)));
  return (path) => {
    if (unserved.has(path)) {
      const text = `${path} is an operation of the interface that this version does not serve yet: see /docs for those that it serves`;
      return new ApiError('ROUTE_NOT_FOUND', text);
    }
    if (path.length > LONGEST_PATH) return new ApiError('ROUTE_NOT_FOUND', 'no such path: see /docs for the operations');
    const name = nearest(nameOf(path), byName.keys());
    const hint = name === undefined ? 'see /docs for the operations' : `did you mean ${byName.get(name)}?`;
    return new ApiError('ROUTE_NOT_FOUND', `no such path: ${path}: ${hint}`);
  };
}
