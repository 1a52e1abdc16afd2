import { setImmediate } from 'node:timers/promises';
import { ApiError } from '../../base/errors.ts';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import { isEnrolling, isReading } from '../../model/session-profile.ts';
import { StaleDecisionError } from '../decision/stale.ts';
import type { Engine } from '../engine.ts';
import type { Trace } from '../ports.ts';
import { organizationIdOf, parseBody, validate } from '../request/body.ts';
import { noteCaller } from '../request/caller.ts';
import { checkAddress } from '../request/ip-allowlist.ts';
import { limitOnce } from '../request/rate.ts';
import { authenticate, type Headers, sessionOf } from '../request/stamp.ts';
import { newTicket, type TicketWish } from '../request/stream-ticket.ts';
import { noteIgnored, unknownMembers } from '../request/unknown-members.ts';
import { withDeclaredErrors } from '../submit/declared-errors.ts';
import { renderOuter, type Viewer } from '../submit/render.ts';
import { endedBy } from '../submit/root-recovery.ts';
import { type Asked, askedOrganization, callerOf, proofOf } from './asked.ts';
import type { QueryKind } from './declare.ts';
import { isLists, type Pieces, textOfLists } from './pieces.ts';

/** Characters of an activity after which other requests go first. */
const LARGE = 100_000;

/** The only query of a session that enrols. */
const WHO = 'whoami';
const ENROLS = `request not authorized: a session under the built-in profile enrol asks ${WHO} alone. Sign in with the new passkey`;

/** Attempts to end a recovery while other requests change the organization. */
const ATTEMPTS = 10;

/**
 * Answers a query, as JSON text; a long list comes in pieces. Any user of an organization may read it, and a parent's users may
 * read its sub-organizations.
 */
export async function runQuery(
  engine: Engine,
  kind: QueryKind,
  bytes: Buffer,
  headers: Headers,
  trace: Trace = {},
  attempts = ATTEMPTS,
): Promise<string | Pieces> {
  const { store, stamps, clock, load, compiler, decisions, oidc, nodes, onRamp, appsDomain, images } = engine;
  const body = parseBody(bytes);
  const organizationId = organizationIdOf(body);
  const session = sessionOf(headers);
  const proof =
    session === undefined
      ? proofOf(authenticate(stamps, headers, bytes, load.submits > 0).verified, bytes)
      : Promise.resolve({ session });
  const named = await askedOrganization(store.read, organizationId, kind);
  trace.organizationId = named.organization.id;
  const now = clock.now();
  const callerIn = async (asked: Asked, time: number) => {
    const found = await callerOf(engine, asked, kind, proof, time);
    noteCaller(trace, found);
    checkAddress(found.organization, found.credential, headers.address, trace);
    return found;
  };
  const caller = await callerIn(named, now);
  if (isEnrolling(caller.credential) && kind.name !== WHO) throw new ApiError('REQUEST_NOT_AUTHORIZED', ENROLS);
  const onlyReads = session !== undefined || isReading(caller.credential);
  const ends = session === undefined ? endedBy(engine, caller, body.timestampMs ?? body.timestamp_ms) : undefined;
  if (ends !== undefined) {
    await ends().catch((error) => unlessStale(error, attempts));
    return runQuery(engine, kind, bytes, headers, trace, attempts - 1);
  }
  const isBelow = kind.findsOwnSubOrganization && caller.organization.parentId === named.organization.id;
  const { organization } = isBelow ? caller : named;
  limitOnce(engine, false)?.(caller);
  noteIgnored(trace, unknownMembers(kind.params, body, ''), engine.strictInput);
  const params = validate(kind.params, body, '');
  const viewer = { organization: caller.organization, user: caller.user, now, bySession: onlyReads };
  const context = {
    organization,
    caller,
    read: store.read,
    now,
    decisions,
    oidc,
    policies: compiler,
    nodes,
    onRamp,
    appsDomain,
    images,
    newTicket: (wish: TicketWish) => newTicket(engine, { caller, organization, session, now }, wish),
    showActivities: (activities: readonly Activity[], { inList }: { inList: boolean }) =>
      showActivities(engine, activities, { organization, viewer, inList }),
  };
  return withDeclaredErrors(engine, kind, async () => {
    const answer = (await kind.run(context, params)) as { json?: unknown };
    if (isLists(answer)) {
      const stillAllowed = async () => callerIn(await askedOrganization(store.read, organizationId, kind), clock.now());
      return textOfLists(answer, engine.turn, stillAllowed);
    }
    return typeof answer.json === 'string' ? answer.json : JSON.stringify(answer);
  });
}

function unlessStale(error: unknown, attempts: number): void {
  if (!(error instanceof StaleDecisionError)) throw error;
  if (attempts > 1) return;
  throw new ApiError('UNAVAILABLE', 'other requests are changing the organization: send the same query again');
}

async function showActivities(
  engine: Engine,
  activities: readonly Activity[],
  { organization, viewer, inList }: { organization: Organization; viewer: Viewer; inList: boolean },
): Promise<string[]> {
  const ids = activities.map((activity) => activity.id);
  const votes = await engine.store.read.activities.votesOf(organization.id, ids);
  const texts: string[] = [];
  for (const activity of activities) {
    const decoded = engine.decisions.decode(activity);
    const shown = { activity, votes: votes.get(activity.id) ?? [], decoded, organization };
    texts.push(await renderOuter(engine, shown, viewer, inList));
    // Yield to other requests.
    if (texts.at(-1)!.length > LARGE) await setImmediate();
  }
  return texts;
}
