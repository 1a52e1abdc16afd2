/** The reference at /docs, as set-up built it (scripts/bundle-reference.ts). */
import { resolve } from 'node:path';
import { ApiError } from '../base/errors.ts';
import type { Read } from '../http/answer.ts';
import { readPage } from '../http/pages.ts';
import { type BuiltPages, builtPages, REFERENCE_FILE } from './built-pages.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const FIRST = '/docs';

const TYPES: Readonly<Record<string, string>> = { css: 'text/css', js: 'text/javascript', json: 'application/json' };

const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-cache',
};

const notBuilt = () =>
  new ApiError(
    'UNAVAILABLE',
    'the reference is not built: run npm run bundle in the folder of the service, and start the service again. /openapi.json has the operations',
  );

/** It may be of older sources: `npm start` builds it anew. */
export const referenceIn = (root: string): BuiltPages['files'] | undefined =>
  builtPages(root, REFERENCE_FILE, { present: false });

/** The page of a path below /docs, or undefined. The file is read once, at the first request: a start does without it. */
export function reference(load = () => referenceIn(ROOT)): (path: string) => Read | undefined {
  let pages: Map<string, Read> | undefined;
  const opened = () => {
    const made = Object.entries(load() ?? {}).map(([path, text]): [string, Read] => {
      const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'text/html';
      return [path, readPage({ path, type: `${type}; charset=utf-8`, headers: HEADERS, text: () => text })];
    });
    return new Map(made);
  };
  return (path) => {
    if (path !== FIRST && !path.startsWith(`${FIRST}/`)) return undefined;
    pages ??= opened();
    if (pages.size === 0) throw notBuilt();
    return pages.get(path);
  };
}
