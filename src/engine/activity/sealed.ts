import { isObject } from '../../base/json.ts';
import type { TextVault } from '../../custody/types.ts';
import { type Activity, isSealed, SEALED_TEXT, sealedBody, sealedPart } from '../../model/activity.ts';
import type { OutboxMessage } from '../../store/types.ts';
import type { OutboxEvent } from '../context.ts';
import type { ActivityKind } from './declare.ts';

type Texts = { texts: TextVault };
type Body = Pick<Activity, 'organizationId' | 'id' | 'body'>;

type Decoded = { kind: ActivityKind; parameters: unknown; timestampMs: string };
type Holder = Record<string, unknown>;

/** Calls `found` with each object in which a path ends. A path goes through every element of a list. */
function forEachSecret(paths: readonly string[], value: unknown, found: (holder: Holder, name: string) => void): void {
  for (const path of paths) walk(value, path.split('.'));

  function walk(at: unknown, [name, ...rest]: readonly string[]): void {
    if (Array.isArray(at)) for (const element of at) walk(element, [name!, ...rest]);
    else if (isObject(at) && rest.length > 0) walk(at[name!], rest);
    else if (isObject(at) && Object.hasOwn(at, name!)) found(at as Holder, name!);
  }
}

/** Whether the parameters of an activity hold a secret. */
export function holdsSecret({ kind, parameters }: Pick<Decoded, 'kind' | 'parameters'>): boolean {
  let holds = false;
  forEachSecret(kind.secrets, parameters, () => {
    holds = true;
  });
  return holds;
}

/** The row of an activity: its body is sealed if the parameters hold a secret. */
export function storedActivity({ texts }: Texts, decoded: Decoded, activity: Activity): Activity {
  if (decoded.kind.secrets.length === 0 || !holdsSecret(decoded)) return activity;
  const { timestampMs } = decoded;
  const sealed = texts.seal('activity-body', activity.organizationId, activity.id, activity.body);
  return { ...activity, body: sealedBody(timestampMs, sealed) };
}

/** The body as it was signed. Throws EnvelopeError. */
export function bodyOf({ texts }: Texts, { organizationId, id, body }: Body): Buffer {
  return isSealed(body) ? texts.open('activity-body', organizationId, id, sealedPart(body)) : body;
}

/** Parameters, or a result, for a reader who did not send the activity. Each secret is '', and a list of secrets is empty. */
export function withoutSecrets(secrets: readonly string[], value: unknown): unknown {
  const shown = structuredClone(value);
  forEachSecret(secrets, shown, (holder, name) => {
    holder[name] = Array.isArray(holder[name]) ? [] : '';
  });
  return shown;
}

type Place = Pick<OutboxMessage, 'id' | 'organizationId'>;

const sealedText = ({ texts }: Texts, what: 'message' | 'activity-result', { id, organizationId }: Place, text: string): string =>
  SEALED_TEXT + texts.seal(what, organizationId, id, Buffer.from(text)).toString('base64');

/** The JSON of a text that may be sealed. Throws EnvelopeError. */
function openedJson({ texts }: Texts, what: 'message' | 'activity-result', { id, organizationId }: Place, text: string): unknown {
  if (!text.startsWith(SEALED_TEXT)) return JSON.parse(text);
  const sealed = Buffer.from(text.slice(SEALED_TEXT.length), 'base64');
  return JSON.parse(texts.open(what, organizationId, id, sealed).toString('utf8'));
}

export function storedResult(
  vault: Texts,
  { resultSecrets, resultBundles }: ActivityKind,
  place: Place,
  result: unknown,
): string {
  const text = JSON.stringify(result);
  return resultSecrets.length + resultBundles.length === 0 ? text : sealedText(vault, 'activity-result', place, text);
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
