import type { Activity } from '../model/activity.ts';
import type { Organization } from '../model/organization.ts';
import type { ActivityKind, ActivityVersion } from './activity.ts';
import { authenticate, type Headers } from './authenticate.ts';
import { loadOrganization, resolveCaller } from './caller.ts';
import type { Caller, Engine } from './context.ts';
import { organizationIdOf, parseBody, submitEnvelope, validate } from './envelope.ts';
import type { QueryKind } from './query.ts';
import type { Render } from './render.ts';

/** Answers queries: any user of an organization reads it, and a parent's users read its sub-organizations. */
export function asker(
  engine: Engine,
  kinds: readonly ActivityKind[],
  render: Render,
): (kind: QueryKind, body: Buffer, headers: Headers) => Promise<string> {
  const { store, stamps, clock, load } = engine;
  const byType = new Map<string, { kind: ActivityKind; version: ActivityVersion }>();
  for (const kind of kinds) for (const [type, version] of kind.versions) byType.set(type, { kind, version });

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
      const known = byType.get(activity.type);
      if (known === undefined)
        throw new Error(`a stored activity has the type ${activity.type}, which this program does not know`);
      const { parameters, timestampMs } = submitEnvelope(parseBody(activity.body));
      const shown = validate(known.kind.params.schema(known.version.version), parameters, 'parameters');
      const cast = votes.get(activity.id) ?? [];
      texts.push(
        await render.outer(
          store.read,
          { activity, votes: cast, version: known.version, parameters: shown, timestampMs, organization },
          viewer,
        ),
      );
    }
    return texts;
  }

  return async (kind, bytes, headers) => {
    const body = parseBody(bytes);
    const organizationId = organizationIdOf(body);
    const verified = authenticate(stamps, headers, bytes, load.submits > 0);
    verified.catch(() => {});
    const organization = await loadOrganization(store.read, organizationId);
    const now = clock.now();
    const stamp = await verified;
    const own = await store.read.credentials.holder(organization.id, stamp.publicKey);
    const caller = await resolveCaller(store.read, organization, stamp, now, own, kind.findsOwnSubOrganization);
    const params = validate(kind.params, body, '');
    const answer = (await kind.run(
      {
        organization,
        caller,
        read: store.read,
        now,
        showActivities: (activities) => showActivities(activities, organization, caller, now),
      },
      params,
    )) as { json?: unknown };
    return typeof answer.json === 'string' ? answer.json : JSON.stringify(answer);
  };
}
