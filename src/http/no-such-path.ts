import { ApiError } from '../base/errors.ts';
import { nearest } from '../base/nearest.ts';
import { interfacePaths } from '../model/interface-names.ts';

/** Longer paths get no suggestion, and are truncated in the log. */
export const LONGEST_PATH = 100;

const nameOf = (path: string): string => path.replace(/\/$/, '').replace(/^.*\//, '');

/** Explains an unknown path, and suggests the closest one. The work is bounded, since any client may call it. */
export function noSuchPath(served: readonly string[]): (path: string) => ApiError {
  const unserved = new Set(interfacePaths.filter((path) => !served.includes(path)));
  // Served paths take precedence over others of the same name.
  const byName = new Map([...served.filter((path) => path !== '/'), ...unserved].map((path) => [nameOf(path), path]));
  return (path) => {
    if (unserved.has(path)) {
      const text = `${path} is an operation of the published interface that this version does not serve: see /docs for its operations`;
      return new ApiError('ROUTE_NOT_FOUND', text);
    }
    if (path.length > LONGEST_PATH) return new ApiError('ROUTE_NOT_FOUND', 'no such path: see /docs for the operations');
    const name = nearest(nameOf(path), byName.keys());
    if (name === undefined) return new ApiError('ROUTE_NOT_FOUND', `no such path: ${path}: see /docs for the operations`);
    const meant = byName.get(name)!;
    const hint = unserved.has(meant) ? `${meant}, which this version does not serve` : meant;
    return new ApiError('ROUTE_NOT_FOUND', `no such path: ${path}: did you mean ${hint}?`);
  };
}
