import { compareWithElements, compareWithService, type Now, type Review, reviewOf } from '../../../review/index.ts';
import { CommandFailed } from '../../base/command-failed.ts';
import { isObject } from '../../base/json.ts';
import { shellQuoted } from '../../base/shell.ts';
import { verifyActivity } from '../../operator/record/verify-activity.ts';
import { type ClientOptions, operationNames } from '../operations.ts';
import { type Activity, activityOf, bodyOf } from './activity.ts';
import { ask, askIfAllowed } from './ask.ts';

export type Reviewed = {
  readonly activity: Activity;
  readonly review: Review;
  /** What the service says otherwise than the signed bytes. */
  readonly differences: readonly string[];
  /** What cannot be checked from the answer. */
  readonly unchecked: readonly string[];
  /** The stamps that hold, each by a key among its voter's credentials, as the service says. */
  readonly stamps: number;
};

type Listed = { readonly [member: string]: unknown };

const list = (value: unknown): readonly Listed[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** The interfaces of the organization, by the contract's address. */
async function interfacesFor(options: ClientOptions): Promise<Map<string, string>> {
  const { smartContractInterfaces } = await askIfAllowed('list_smart_contract_interfaces', {}, options);
  return new Map(
    list(smartContractInterfaces).flatMap(
      ({ smartContractAddress: address, smartContractInterface: text }): [string, string][] =>
        typeof address === 'string' && typeof text === 'string'
          ? [[address.startsWith('0x') ? address.toLowerCase() : address, text]]
          : [],
    ),
  );
}

/** What holds now where the activity changes something, as the service says. */
async function nowFor({ kind, parameters }: Review, options: ClientOptions): Promise<Now | undefined> {
  if (/^(?:UPDATE|DELETE)_POLIC/.test(kind)) {
    const ids = [parameters.policyId, ...(Array.isArray(parameters.policyIds) ? parameters.policyIds : [])].filter(
      (id) => typeof id === 'string',
    );
    const answers = await Promise.all(ids.slice(0, 50).map((policyId) => askIfAllowed('get_policy', { policyId }, options)));
    return {
      policies: answers.flatMap(({ policy }) => (isObject(policy) ? [policy as NonNullable<Now['policies']>[number]] : [])),
    };
  }
  if (kind !== 'UPDATE_ROOT_QUORUM') return undefined;
  const [{ configs }, { users }] = await Promise.all([
    askIfAllowed('get_organization_configs', {}, options),
    askIfAllowed('list_users', {}, options),
  ]);
  const quorum = isObject(configs) ? configs.quorum : undefined;
  return {
    ...(isObject(quorum) && Array.isArray(quorum.userIds) && { rootQuorum: quorum as NonNullable<Now['rootQuorum']> }),
    users: list(users).flatMap((user) =>
      typeof user.userId === 'string' && typeof user.userName === 'string'
        ? [{ userId: user.userId, userName: user.userName }]
        : [],
    ),
  };
}

/** What the service says that policies see. An older service does not say it. */
async function elementsFor(activityId: string, options: ClientOptions): Promise<Parameters<typeof compareWithElements>[1]> {
  if (!operationNames('query').includes('review_activity')) return [];
  const { elements } = await askIfAllowed('review_activity', { activityId }, options);
  return list(elements).map(({ roots }) => ({ roots: list(roots) as unknown as { root: string; value?: string }[] }));
}

const ofChains = (kind: string): boolean => /^(?:SIGN_|ETH_|SOL_)/.test(kind);

/** The votes and the intent, by the code that checks exported records. A false answer may have any form. */
async function checked(activity: Activity) {
  try {
    return await verifyActivity({ activity } as unknown as Parameters<typeof verifyActivity>[0]);
  } catch {
    return { problems: ['the answer has votes that cannot be read'], unchecked: [], stamps: 0 };
  }
}

/** An activity with the review of its signed body. Throws CommandFailed where the service does not show the body. */
export async function reviewed(activityId: string, options: ClientOptions): Promise<Reviewed> {
  const answer = await ask('get_activity', { activityId }, options);
  const activity = activityOf(answer.activity, 'get_activity');
  const text = bodyOf(activity);
  if (text === '')
    throw new CommandFailed(
      [
        `activity ${activityId} cannot be reviewed: its body holds a secret, and is shown to its sender alone`,
        'If you know from its sender what it is, vote on the fingerprint that the service says, with approve_activity or reject_activity:',
        `  countersign submit approve_activity ${shellQuoted(JSON.stringify({ fingerprint: activity.fingerprint }))}`,
      ].join('\n'),
    );
  const body = Buffer.from(text);
  const first = reviewOf(body);
  const contractInterfaces = ofChains(first.kind) ? await interfacesFor(options) : undefined;
  const now = await nowFor(first, options);
  const review = reviewOf(body, { ...(contractInterfaces && { contractInterfaces }), ...(now && { now }) });
  const { problems, unchecked, stamps } = await checked(activity);
  const own = activity.id === activityId.toLowerCase() ? [] : ['the service answers with another activity'];
  const seen = compareWithElements(review, review.elements.length > 0 ? await elementsFor(activityId, options) : []);
  const differences = [...own, ...compareWithService(review, activity), ...seen, ...problems];
  return { activity, review, differences, unchecked, stamps };
}
