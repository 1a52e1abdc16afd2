import { isObject } from '../../base/json.ts';
import type { TextVault } from '../../custody/types.ts';
import { type Activity, isSealed, sealedBody, sealedPart } from '../../model/activity.ts';
import type { OutboxMessage } from '../../store/types.ts';
import type { OutboxEvent } from '../context.ts';
import type { ActivityKind } from './declare.ts';

type Texts = { texts: TextVault };
type Body = Pick<Activity, 'organizationId' | 'id' | 'body'>;

/** The row of an activity whose parameters may hold a secret: the body is sealed then. */
export function storedActivity({ texts }: Texts, kind: ActivityKind, timestampMs: string, activity: Activity): Activity {
  if (kind.secrets.length === 0) return activity;
  const sealed = texts.seal('activity-body', activity.organizationId, activity.id, activity.body);
  return { ...activity, body: sealedBody(timestampMs, sealed) };
}

/** The body as it was signed. Throws EnvelopeError. */
export function bodyOf({ texts }: Texts, { organizationId, id, body }: Body): Buffer {
  return isSealed(body) ? texts.open('activity-body', organizationId, id, sealedPart(body)) : body;
}

/** Parameters, or a result, for somebody who did not send the activity: '' in place of each secret. */
export function withoutSecrets(secrets: readonly string[], value: unknown): unknown {
  const shown = structuredClone(value);
  for (const path of secrets) {
    const members = path.split('.');
    const last = members.pop()!;
    let at: unknown = shown;
    for (const member of members) at = isObject(at) ? at[member] : undefined;
    if (isObject(at) && last in at) (at as Record<string, unknown>)[last] = '';
  }
  return shown;
}

/** Plain payloads and results are JSON objects, which do not begin like this. */
const SEALED = 'sealed:';

type Place = Pick<OutboxMessage, 'id' | 'organizationId'>;

const sealedText = ({ texts }: Texts, what: 'message' | 'activity-result', { id, organizationId }: Place, text: string): string =>
  SEALED + texts.seal(what, organizationId, id, Buffer.from(text)).toString('base64');

/** The JSON of a text that may be sealed. Throws EnvelopeError. */
function openedJson({ texts }: Texts, what: 'message' | 'activity-result', { id, organizationId }: Place, text: string): unknown {
  if (!text.startsWith(SEALED)) return JSON.parse(text);
  const sealed = Buffer.from(text.slice(SEALED.length), 'base64');
  return JSON.parse(texts.open(what, organizationId, id, sealed).toString('utf8'));
}

/** The newest result of an activity as it is stored. */
export function storedResult(vault: Texts, { resultSecrets }: ActivityKind, place: Place, result: unknown): string {
  const text = JSON.stringify(result);
  return resultSecrets.length === 0 ? text : sealedText(vault, 'activity-result', place, text);
}

/** Throws EnvelopeError. */
export function resultOf(vault: Texts, activity: Place & Pick<Activity, 'result'>): unknown {
  return openedJson(vault, 'activity-result', activity, activity.result);
}

export function storedPayload(vault: Texts, place: Place, event: OutboxEvent): string {
  const text = JSON.stringify(event.payload);
  return event.sealed ? sealedText(vault, 'message', place, text) : text;
}

/** The payload of a stored message, for the worker that sends it. Throws EnvelopeError. */
export function payloadOf(vault: Texts, message: Place & Pick<OutboxMessage, 'payload'>): unknown {
  return openedJson(vault, 'message', message, message.payload);
}
