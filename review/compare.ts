import { isObject } from '../src/base/json.ts';
import { mayRunIn } from './place.ts';
import type { Review } from './types.ts';

/** What the service says about an activity. `intent`: one member, named by the type. */
export type ServiceSays = {
  readonly fingerprint: string;
  readonly type: string;
  readonly intent: unknown;
  readonly organizationId?: string;
};

const MOST = 20;

const declared = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** Members by their declared names. */
function named(value: { readonly [name: string]: unknown }): Map<string, unknown> {
  return new Map(Object.entries(value).map(([name, each]) => [declared(name), each]));
}

/** The service writes ids and hex in one way. */
const plain = (text: string): string => (/^(?:0x)?[0-9a-fA-F-]*$/.test(text) ? text.toLowerCase().replace(/^0x/, '') : text);

/** A member that the service adds where the body has none. */
const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === false ||
  value === '' ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.values(value).every(isNothing));

function* differences(sent: unknown, said: unknown, path: string): Generator<string> {
  if (isNothing(sent) && isNothing(said)) return;
  if (Array.isArray(sent) && Array.isArray(said) && sent.length === said.length) {
    for (const [i, each] of sent.entries()) yield* differences(each, said[i], `${path}[${i}]`);
  } else if (isObject(sent) && isObject(said)) {
    const [own, other] = [named(sent), named(said)];
    for (const name of new Set([...own.keys(), ...other.keys()]))
      yield* differences(own.get(name), other.get(name), `${path}.${name}`);
  } else if (typeof sent === 'string' && typeof said === 'string' ? plain(sent) !== plain(said) : sent !== said) {
    if (sent === undefined) yield `${path} is in the service's answer, and not in the signed body`;
    else if (said === undefined) yield `${path} is in the signed body, and not in the service's answer`;
    else yield `${path} is not the same in the signed body and in the service's answer`;
  }
}

/** A type that has two names. */
const typeOf = (type: string): string => type.replace('UNDELEGATE7702', 'UNDELEGATE_7702');

/** What the service says otherwise than the signed body, in words. Empty if all is the same. */
export function compareWithService(review: Review, service: ServiceSays): string[] {
  const found: string[] = [];
  if (service.fingerprint !== review.fingerprint)
    found.push(`the fingerprint of the signed body is ${review.fingerprint}, and the service says another`);
  if (typeOf(String(service.type)) !== typeOf(review.type))
    found.push(`the signed body has the type ${review.type}, and the service says another`);
  if (service.organizationId !== undefined && !mayRunIn(review, service.organizationId))
    found.push('the signed body names another organization than the service');
  const [intent, ...more] = isObject(service.intent) ? Object.values(service.intent) : [];
  if (!isObject(intent) || more.length > 0) found.push("the service's answer has not exactly one intent");
  else
    for (const each of differences(review.parameters, intent, 'parameters')) {
      found.push(each);
      if (found.length >= MOST) break;
    }
  return found;
}
