import { isObject } from '../../base/json.ts';
import type { TextVault, Vault } from '../../custody/types.ts';
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

/** The parameters for somebody who did not send them: '' in place of each secret. */
export function withoutSecrets({ secrets }: ActivityKind, parameters: unknown): unknown {
  const shown = structuredClone(parameters);
  for (const path of secrets) {
    const members = path.split('.');
    const last = members.pop()!;
    let at: unknown = shown;
    for (const member of members) at = isObject(at) ? at[member] : undefined;
    if (isObject(at) && last in at) (at as Record<string, unknown>)[last] = '';
  }
  return shown;
}

/** Plain payloads are JSON objects, which do not begin like this. */
const SEALED = 'sealed:';

type Place = Pick<OutboxMessage, 'id' | 'organizationId'>;

export function storedPayload({ texts }: Pick<Vault, 'texts'>, { id, organizationId }: Place, event: OutboxEvent): string {
  const text = JSON.stringify(event.payload);
  if (!event.sealed) return text;
  return SEALED + texts.seal('message', organizationId, id, Buffer.from(text)).toString('base64');
}

/** The payload of a stored message, for the worker that sends it. Throws EnvelopeError. */
export function payloadOf({ texts }: Texts, { id, organizationId, payload }: Place & Pick<OutboxMessage, 'payload'>): unknown {
  if (!payload.startsWith(SEALED)) return JSON.parse(payload);
  const sealed = Buffer.from(payload.slice(SEALED.length), 'base64');
  return JSON.parse(texts.open('message', organizationId, id, sealed).toString('utf8'));
}
