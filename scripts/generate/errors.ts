import { ApiError, type ErrorCode, textOf } from '../../src/base/errors.ts';
import { REMEDIES } from '../../src/base/remedies.ts';
import { ALWAYS, FAILED } from './openapi/errors.ts';

const row = (code: ErrorCode): string => `| \`${code}\` | ${new ApiError(code).http} | ${textOf(code)} | ${REMEDIES[code]} |`;

const section = (title: string, codes: readonly ErrorCode[]): string =>
  `## ${title}\n\n| Code | Status | Text | What to do |\n|---|---|---|---|\n${codes.map(row).join('\n')}`;

/** The tables of docs/errors.md. */
export function errorTable(): string {
  const own = (Object.keys(REMEDIES) as ErrorCode[]).filter((code) => !ALWAYS.includes(code) && !FAILED.includes(code));
  return [section('Of every request', ALWAYS), section('Of the service', FAILED), section('Of some operations', own)].join(
    '\n\n',
  );
}
