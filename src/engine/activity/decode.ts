import type { Vault } from '../../custody/types.ts';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import type { Asking } from '../context.ts';
import { parseBody, submitBody, validate, validateStored } from '../request/body.ts';
import type { ActivityKind, ActivityVersion, Roots } from './declare.ts';
import type { Measured } from './measured.ts';
import { bodyOf } from './sealed.ts';

/** The request of an activity: its kind and version, the parameters as sent, and the newest intent. */
export type DecodedActivity = {
  kind: ActivityKind;
  version: ActivityVersion;
  parameters: unknown;
  intent: unknown;
  timestampMs: string;
  /** The body asks for app proofs. */
  generateAppProofs: boolean;
};

/** Validates the parameters of a request. Throws REQUEST_INVALID with every field that is wrong. */
export function decodeActivity(
  kind: ActivityKind,
  version: ActivityVersion,
  parameters: unknown,
  timestampMs: string,
  { read = validate, generateAppProofs = false } = {},
): DecodedActivity {
  const shown = read(kind.params.schema(version.version), parameters, 'parameters');
  const intent = kind.params.raise(version.version, shown);
  return { kind, version, parameters: shown, intent, timestampMs, generateAppProofs };
}

/** Decodes stored activities, by the type in their body. */
export type Decoder = (activity: Activity) => DecodedActivity;

export function decoder(kinds: readonly ActivityKind[], vault: Pick<Vault, 'texts'>): Decoder {
  const byType = new Map<string, { kind: ActivityKind; version: ActivityVersion }>();
  for (const kind of kinds) for (const [type, version] of kind.versions) byType.set(type, { kind, version });
  return (activity) => {
    const { type } = activity;
    const known = byType.get(type);
    if (known === undefined)
      throw new Error(`a stored activity has the type ${type}, which this version of the program does not know`);
    const { parameters, timestampMs, generateAppProofs } = submitBody(parseBody(bodyOf(vault, activity)), { stored: true });
    return decodeActivity(known.kind, known.version, parameters, timestampMs, { read: validateStored, generateAppProofs });
  };
}

/** A decoded activity in an organization, with its subject and views. Each is read once, on first use. */
export type ResolvedActivity = DecodedActivity & {
  /** Set if an approval of the activity is judged: see `approvalOf`. */
  approved?: true;
  subject(): Promise<unknown>;
  /** The values that policies see besides `activity`: one entry for each element of a batch. */
  views(): Promise<readonly Roots[]>;
  /** What it adds to velocity controls now. Absent: the organization has none, or nothing is decided. */
  measured?: () => Promise<Measured | undefined>;
};

/** An approval of the activity, for scopes and MFA conditions. They see the vote itself, and the activity with `vote`. */
export const approvalOf = (activity: ResolvedActivity): ResolvedActivity => ({ ...activity, approved: true });

/** `asking`: set if the activity is decided now. */
export function resolveActivity(
  read: Reader,
  organization: Organization,
  decoded: DecodedActivity,
  asking?: Asking,
): ResolvedActivity {
  const { kind, intent } = decoded;
  const ctx = { read, organization, asking };
  let subject: Promise<unknown> | undefined;
  let views: Promise<readonly Roots[]> | undefined;
  const resolved: ResolvedActivity = {
    ...decoded,
    subject() {
      subject ??= kind.resolve({ ctx, intent });
      return subject;
    },
    views() {
      views ??= resolved.subject().then((subject) => kind.policyView({ ctx, intent, subject }));
      return views;
    },
  };
  return resolved;
}
