import { setImmediate } from 'node:timers/promises';
import type { Activity } from '../../model/activity.ts';
import type { Organization } from '../../model/organization.ts';
import type { Render } from '../activity/render.ts';
import type { Caller, Engine } from '../context.ts';
import type { Judge } from '../decision/simulate.ts';
import type { Trace } from '../ports.ts';
import { organizationIdOf, parseBody, validate } from '../request/body.ts';
import { loadOrganization, noteCaller, resolveCaller } from '../request/caller.ts';
import type { Decoder } from '../request/context.ts';
import { authenticate, type Headers } from '../request/stamp.ts';
import { noteIgnored, unknownMembers } from '../request/unknown-members.ts';
import type { QueryKind } from './declare.ts';

/** Characters of an activity after which the next one waits for others. */
const LARGE = 100_000;

export type AskerParts = { engine: Engine; decode: Decoder; render: Render; judge: Judge };

/** Answers queries: any user of an organization reads it, and a parent's users read its sub-organizations. */
export function asker({
  engine,
  decode,
  render,
  judge,
}: AskerParts): (kind: QueryKind, body: Buffer, headers: Headers, trace?: Trace) => Promise<string> {
  const { store, stamps, clock, load } = engine;

  async function showActivities(
    activities: readonly Activity[],
    organization: Organization,
    caller: Caller,
    now: number,
  ): Promise<string[]> {
    const votes = await store.read.activities.votesOf(
      organization.id,
      activities.map((activity) => activity.id),
    );
    const viewer = { organizationId: caller.organization.id, user: caller.user, now };
    const texts: string[] = [];
    for (const activity of activities) {
      const shown = { activity, votes: votes.get(activity.id) ?? [], matter: decode(activity), organization };
      texts.push(await render.outer(store.read, shown, viewer));
      // Others are served meanwhile.
      if (texts.at(-1)!.length > LARGE) await setImmediate();
    }
    return texts;
  }

  return async (kind, bytes, headers, trace = {}) => {
    const body = parseBody(bytes);
    const organizationId = organizationIdOf(body);
    const { verified } = authenticate(stamps, headers, bytes, load.submits > 0);
    const organization = await loadOrganization(store.read, organizationId);
    trace.organizationId = organization.id;
    const now = clock.now();
    const stamp = await verified;
    const own = await store.read.credentials.holder(organization.id, stamp.publicKey);
    const caller = await resolveCaller(store.read, organization, stamp, now, own, kind.findsOwnSubOrganization);
    noteCaller(trace, caller);
    noteIgnored(trace, unknownMembers(kind.params, body, ''), engine.strictInput);
    const params = validate(kind.params, body, '');
    const answer = (await kind.run(
      {
        organization,
        caller,
        read: store.read,
        now,
        judge,
        policies: engine.policies,
        showActivities: (activities) => showActivities(activities, organization, caller, now),
      },
      params,
    )) as { json?: unknown };
    return typeof answer.json === 'string' ? answer.json : JSON.stringify(answer);
  };
}
