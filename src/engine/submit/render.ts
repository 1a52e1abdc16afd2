import { ApiError, type ErrorCode } from '../../base/errors.ts';
import { rfc3339, wireTimestamp } from '../../base/time.ts';
import type { Vault } from '../../custody/types.ts';
import { type Activity, takesVotes, type Vote } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { User } from '../../model/user.ts';
import type { Store } from '../../store/types.ts';
import { viewAppProofs } from '../../wire/app-proofs.ts';
import { viewDeletedUser } from '../../wire/users.ts';
import { type DecodedActivity, resolveActivity } from '../activity/decode.ts';
import { bodyOf, holdsSecret, resultOf, withoutSecrets } from '../activity/sealed.ts';
import { measuring } from '../activity/velocity.ts';
import { decideVote, qualifies } from '../decision/authorize.ts';
import { countingVotes, isOpenFor } from '../decision/waiting.ts';
import type { Engine } from '../engine.ts';

export type Shown = {
  activity: Activity;
  votes: readonly Vote[];
  decoded: DecodedActivity;
  /** The organization that the activity runs in. */
  organization: Organization;
};

/**
 * The user who reads the answer, and their organization. `canApprove` and `canReject` are about this user. `bySession`: the
 * user reads by a read-only session, or by a key under the built-in profile *read*. Such a session is shown no secret, because a secret, such as the user's other sessions,
 * would outlive it.
 */
export type Viewer = { organization: Organization; user: User; now: number; bySession?: boolean };

type RenderEngine = Pick<Engine, 'decisions' | 'voterText'> & { vault: Pick<Vault, 'texts'>; store: Pick<Store, 'read'> };
type RightsEngine = Pick<RenderEngine, 'decisions' | 'store'>;
type Parts = Record<'intent' | 'votes' | 'failure' | 'proofs', string> & {
  result: string | undefined;
  canApprove: boolean;
  canReject: boolean;
};

const quoted = JSON.stringify;

/** For endpoints: as lists show it to a user of the organization. That user did not send it, and has no vote. */
export const renderEvent = (engine: RenderEngine, shown: Shown): Promise<string> => renderOuter(engine, shown, undefined, true);

/** What a line of the record needs. No policy is asked without a viewer. */
export type RecordEngine = Omit<RenderEngine, 'decisions'> & {
  decisions: Pick<RenderEngine['decisions'], 'decode' | 'deciding'>;
};

/** For the record of the whole instance: as lists show it, with voters of a parent too. */
export const renderRecord = (engine: RecordEngine, shown: Shown): Promise<string> =>
  renderOuter(engine as RenderEngine, shown, 'operator', true);

/** Only the outer form, as JSON text, for queries. No list contains a secret: the sender asks for the activity by its id. */
export async function renderOuter(
  engine: RenderEngine,
  shown: Shown,
  reader: Viewer | 'operator' | undefined,
  inList: boolean,
): Promise<string> {
  const parts = await partsOf(engine, shown, reader, inList);
  return `{${head(shown)},"intent":${parts.intent},"result":{${parts.result ?? ''}},${tail(shown, parts, outerTimes)}${parts.failure}${parts.proofs}}`;
}

/** The answer to a submit: the outer form with `timestampMs` and `result.activity`, the ActivityDetail of the specification. */
export async function renderSubmitted(engine: RenderEngine, shown: Shown, viewer: Viewer): Promise<string> {
  const parts = await partsOf(engine, shown, viewer);
  const detail =
    `{${head(shown)},"intent":${parts.intent},"result":{${parts.result ?? ''}},` +
    `${tail(shown, parts, (ms) => `"${rfc3339(ms)}"`)}}`;
  const result = `{${parts.result === undefined ? '' : `${parts.result},`}"activity":${detail}}`;
  return (
    `{"activity":{${head(shown)},"timestampMs":${quoted(shown.decoded.timestampMs)},"intent":${parts.intent},"result":${result},` +
    `${tail(shown, parts, outerTimes)}${parts.failure}${parts.proofs}}}`
  );
}

/** The parts that both forms share, each serialized once. Without a viewer: for a user of the activity's organization without votes. */
async function partsOf(
  engine: RenderEngine,
  shown: Shown,
  reader: Viewer | 'operator' | undefined,
  inList = false,
): Promise<Parts> {
  const viewer = reader === 'operator' ? undefined : reader;
  const { activity, votes, decoded, organization } = shown;
  const { kind, version, parameters } = decoded;
  const found = engine.decisions.deciding(engine.store.read, kind, organization, activity);
  const decidingId = found instanceof Promise ? await found : found;
  // A sub-organization must not read who belongs to its parent, or what the parent's policies say.
  const outside = reader !== 'operator' && decidingId !== organization.id && decidingId !== viewer?.organization.id;
  const decides = viewer?.organization.id === decidingId && viewer.bySession !== true;
  const own = decides && !inList && viewer.user.id === activity.userId;
  // A user who approved it by the same body has also sent its contents.
  const sent = decides && !inList && votes.some(({ userId, message }) => userId === viewer.user.id && message === null);
  const hides = !sent && holdsSecret(decoded);
  const done = activity.status === 'ACTIVITY_STATUS_COMPLETED';
  return {
    intent: `{"${version.intentKey}":${quoted(hides ? withoutSecrets(kind.secrets, parameters) : parameters)}}`,
    result: done ? `"${version.result.key}":${quoted(version.result.write(shownResult(engine, shown, own, inList)))}` : undefined,
    votes: await votesText(engine, shown, hides, outside ? undefined : decidingId),
    failure: failureText(shown, outside),
    proofs: done && decoded.generateAppProofs && !inList ? await proofsText(engine, activity) : '',
    ...(viewer === undefined ? { canApprove: false, canReject: false } : await rightsOf(engine, shown, viewer, decidingId)),
  };
}

/** Whether the viewer may approve or reject the activity. */
export async function rightsOf(
  engine: RightsEngine,
  shown: Shown,
  viewer: Viewer,
  decidingId: string,
): Promise<Pick<Parts, 'canApprove' | 'canReject'>> {
  const { activity, votes } = shown;
  const { read } = engine.store;
  const open = takesVotes(activity.status) && viewer.organization.id === decidingId;
  const counting = open ? await countingVotes(read, decidingId, votes, viewer.now) : [];
  const mine = counting.filter((v) => v.userId === viewer.user.id);
  const qualified = open && (await mayQualify(engine, shown, counting, viewer));
  const submitted = votes[0]?.userId === viewer.user.id;
  const cast = (selection: Vote['selection']) => mine.some((v) => v.selection === selection);
  const approved = cast('VOTE_SELECTION_APPROVED');
  const proves = open && (submitted || approved) && viewer.user.mfaPolicyCount > 0 && (await mustProve(engine, shown, viewer));
  const may = async (selection: Vote['selection']): Promise<boolean> => {
    const { outcome } = await decideVote(engine.decisions.policies, read, { selection, ...viewer });
    return outcome === 'OUTCOME_ALLOW';
  };
  return {
    canApprove: (proves || (qualified && !approved)) && (await may('VOTE_SELECTION_APPROVED')),
    canReject: (qualified || (open && submitted)) && !cast('VOTE_SELECTION_REJECTED') && (await may('VOTE_SELECTION_REJECTED')),
  };
}

function shownResult({ vault }: RenderEngine, { activity, decoded: { kind } }: Shown, own: boolean, inList: boolean): unknown {
  const result = resultOf(vault, activity);
  const { resultSecrets, resultBundles } = kind;
  if (resultSecrets.length + resultBundles.length === 0) return result;
  return withoutSecrets([...(own ? [] : resultSecrets), ...(inList ? resultBundles : [])], result);
}

function mayQualify(
  { store, decisions }: RightsEngine,
  { organization, decoded, activity: { userId } }: Shown,
  votes: readonly Vote[],
  { organization: deciding, user, now }: Viewer,
): Promise<boolean> {
  const resolved = resolveActivity(store.read, organization, decoded);
  const activity = measuring(decisions.velocity, store.read, { organization, activity: resolved, userId, now });
  return qualifies(decisions.policies, store.read, { organization: deciding, activity, votes, now }, user);
}

/** Whether the viewer has MFA steps left. */
async function mustProve(
  { store, decisions }: RightsEngine,
  shown: Shown,
  { organization, user, now }: Viewer,
): Promise<boolean> {
  const { activity, votes } = shown;
  const resolved = resolveActivity(store.read, shown.organization, shown.decoded);
  const proofs = await store.read.proofs.ofActivity(activity.organizationId, activity.id);
  return isOpenFor(decisions, store.read, { organization, activity: resolved, now }, { votes, proofs }, user.id);
}

/** `decidingId`: the organization whose users voted, if the viewer may read who they are. */
async function votesText(
  { store, voterText, vault }: RenderEngine,
  { activity, votes }: Shown,
  hides: boolean,
  decidingId: string | undefined,
): Promise<string> {
  const texts: string[] = [];
  for (const vote of votes) {
    const user = decidingId ? await voterText(store.read, decidingId, vote) : quoted(viewDeletedUser(vote.userId));
    const message = hides && vote.message === null ? '' : (vote.message ?? bodyOf(vault, activity)).toString('utf8');
    texts.push(
      `{"id":"${vote.id}","userId":"${vote.userId}","user":${user},"activityId":"${activity.id}","selection":"${vote.selection}",` +
        `"message":${quoted(message)},"publicKey":${quoted(vote.publicKey)},"signature":${quoted(vote.signature)},"scheme":${quoted(vote.scheme)},` +
        `"createdAt":${quoted(wireTimestamp(vote.createdAt))}}`,
    );
  }
  return `[${texts.join(',')}]`;
}

function head({ activity }: Shown): string {
  return `"id":"${activity.id}","organizationId":"${activity.organizationId}","status":"${activity.status}","type":"${activity.type}"`;
}

function tail({ activity }: Shown, parts: Parts, times: (ms: number) => string): string {
  return (
    `"votes":${parts.votes},"fingerprint":"${activity.fingerprint}","canApprove":${parts.canApprove},"canReject":${parts.canReject},` +
    `"createdAt":${times(activity.createdAt)},"updatedAt":${times(activity.updatedAt)}`
  );
}

function failureText({ activity }: Shown, outside: boolean): string {
  // A vote that was refused to one user and counted for another keeps the refusal for the first.
  if (activity.failure === null || activity.status !== 'ACTIVITY_STATUS_FAILED') return '';
  const { code, message, details, refusal } = activity.failure;
  if (outside && (refusal === 'REQUEST_NOT_AUTHORIZED' || refusal?.startsWith('VELOCITY_'))) {
    const plain = new ApiError(refusal as ErrorCode);
    return `,"failure":${quoted({ code, message: plain.message, details: plain.details })}`;
  }
  return `,"failure":${quoted({ code, message, details })}`;
}

/** Also while the operator has turned them off: a body is answered as it was. */
async function proofsText({ store }: RenderEngine, { organizationId, id }: Activity): Promise<string> {
  const found = await store.read.appProofs.ofActivity(organizationId, id);
  return found === undefined ? '' : `,"appProofs":${quoted(viewAppProofs(found))}`;
}

const outerTimes = (ms: number): string => quoted(wireTimestamp(ms));
