import { dropNulls, isObject, type Json, parseJson } from '../src/base/json.ts';
import { givenTwice } from './known.ts';
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
  const double = givenTwice(body.type, members);
  return double === undefined ? body : { ...body, problem: `${double} is given in two spellings` };
}
