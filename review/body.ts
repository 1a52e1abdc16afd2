import { dropNulls, isObject, type Json, parseJson } from '../src/base/json.ts';
import { member, type Parameters, textOf } from './parts.ts';

/** As the service reads bodies. */
const LIMITS = { depth: 64, keys: 50_000, storable: true } as const;

export type Body = {
  type: string;
  kind: string;
  organizationId: string;
  timestampMs: string;
  parameters: { [name: string]: Json };
  members: Parameters;
  /** Why the service would refuse it, or read it otherwise. */
  problem?: string;
};

/** One object may have a member in only one of its spellings. */
function twice(value: Json, path = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Object.entries(value);
  if (!Array.isArray(value)) {
    const names = new Set<string>();
    for (const [name] of entries) {
      const declared = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
      if (names.has(declared)) return `${path}${name}`;
      names.add(declared);
    }
  }
  for (const [name, each] of entries) {
    const found = twice(each, `${path}${name}.`);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The members of a signed body. Never throws. */
export function bodyOf(bytes: Uint8Array): Body {
  const nothing: Body = { type: '', kind: '', organizationId: '', timestampMs: '', parameters: {}, members: {} };
  const parsed = parseJson(bytes, LIMITS);
  if ('error' in parsed) return { ...nothing, problem: `the body is no request: ${parsed.error}` };
  if (!isObject(parsed.value)) return { ...nothing, problem: 'the body is no request: it is no JSON object' };
  const members = dropNulls(parsed.value) as { [name: string]: Json };
  const [type, organizationId, timestampMs] = (['type', 'organizationId', 'timestampMs'] as const).map((name) =>
    textOf(members, name),
  );
  const given = member(members, 'parameters');
  const parameters = isObject(given) ? (given as { [name: string]: Json }) : {};
  const body: Body = {
    type: type!,
    kind: type!.replace(/^ACTIVITY_TYPE_/, '').replace(/_V\d+$/, ''),
    organizationId: organizationId!.toLowerCase(),
    timestampMs: /^\d{1,19}$/.test(timestampMs!) ? timestampMs! : '',
    parameters,
    members,
  };
  if (!/^ACTIVITY_TYPE_[A-Z0-9_]+$/.test(body.type)) return { ...body, problem: 'the body names no type of an activity' };
  if (!isObject(given)) return { ...body, problem: 'the body has no parameters' };
  const double = twice(members);
  return double === undefined ? body : { ...body, problem: `${double} is given in two spellings` };
}
