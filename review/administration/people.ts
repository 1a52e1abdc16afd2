import { BUILT_IN_PROFILES, ENROL_PROFILE, READ_PROFILE } from '../../src/model/session-profile.ts';
import { fact, type Given, listOf, member, type Parameters, type Read, textOf } from '../parts.ts';
import type { Fact, Now, Warning } from '../types.ts';
import { visible } from '../visible.ts';
import { amber, durationText, named, otherFacts, red, sentence } from './parts.ts';

const GIVES = amber('new-credential', 'Its holder can then act as the user');

const objects = (of: Parameters, name: string): Parameters[] =>
  listOf(of, name).filter((each): each is Parameters => typeof each === 'object' && each !== null && !Array.isArray(each));

const lifetime = (seconds: string): string => (seconds === '' ? 'until it is deleted' : durationText(seconds));

/** A number or a text of the body. */
const scalar = (of: Parameters, name: string): string => {
  const value = member(of, name);
  return typeof value === 'number' || typeof value === 'string' ? String(value) : '';
};

type Row = readonly [member: string, what: string, name: string, shows: (of: Parameters) => Fact[]];

/** Credentials that let their holder in, by the member that lists them. */
const CREDENTIALS: readonly Row[] = [
  [
    'apiKeys',
    'API key',
    'apiKeyName',
    (key) => [
      fact('its public key', textOf(key, 'publicKey'), 'hex'),
      ...(textOf(key, 'curveType') === '' ? [] : [fact('its curve', textOf(key, 'curveType'), 'text')]),
      fact('it lasts', lifetime(scalar(key, 'expirationSeconds')), 'text'),
    ],
  ],
  [
    'authenticators',
    'passkey',
    'authenticatorName',
    (passkey) => {
      const { attestation } = passkey;
      const id = typeof attestation === 'object' && attestation !== null ? textOf(attestation as Parameters, 'credentialId') : '';
      return [fact('its credential id', id, 'hex')];
    },
  ],
];

function credentialFacts(of: Parameters, label: string): Fact[] {
  return CREDENTIALS.flatMap(([list, what, name, shows]) =>
    objects(of, list).flatMap((each) => [
      fact(`${label}${what}`, textOf(each, name), 'text'),
      ...shows(each).map((one) => ({ ...one, label: `${label}${one.label}` })),
    ]),
  );
}

const LISTED = CREDENTIALS.map(([list]) => list);

/** New credentials of a user, which get their holder in. */
export function readCredentials({ kind, parameters, now }: Given): Read {
  const facts = [
    named('user', textOf(parameters, 'userId'), now),
    ...credentialFacts(parameters, ''),
    ...otherFacts({ ...parameters }, now, ['userId', ...LISTED]),
  ];
  return { title: sentence(kind), form: 'people', facts, warnings: [GIVES] };
}

/** New users, each with what lets them in. */
export function readNewUsers({ kind, parameters, now }: Given): Read {
  const list = kind === 'CREATE_API_ONLY_USERS' ? 'apiOnlyUsers' : 'users';
  const users = objects(parameters, list);
  const facts = users.flatMap((user, i) => {
    const label = users.length > 1 ? `${i + 1}: ` : '';
    const others = otherFacts({ ...user }, now, ['userName', ...LISTED]);
    return [
      fact(`${label}new user`, textOf(user, 'userName'), 'text'),
      ...credentialFacts(user, label),
      ...others.filter(({ value }) => value !== '[]').map((each) => ({ ...each, label: `${label}${each.label}` })),
    ];
  });
  const title =
    users.length === 1
      ? `Create user “${visible(textOf(users[0]!, 'userName'))}”`
      : `${sentence('CREATE_USERS')}: ${users.length}`;
  return { title, form: 'people', facts: [...facts, ...otherFacts({ ...parameters }, now, [list])], warnings: [GIVES] };
}

type User = NonNullable<Now['users']>[number];

/** What a user loses, by the kind of activity. */
const DELETED: Readonly<Record<string, string>> = {
  DELETE_API_KEYS: 'apiKeyIds',
  DELETE_AUTHENTICATORS: 'authenticatorIds',
  DELETE_OAUTH_PROVIDERS: 'providerIds',
};

export function readDeletedCredentials({ kind, parameters, now }: Given): Read {
  const list = DELETED[kind]!;
  const ids = listOf(parameters, list).map(String);
  const userId = textOf(parameters, 'userId');
  const user: User | undefined = now?.users?.find((each) => each.userId === userId.toLowerCase());
  const facts = [
    named('user', userId, now),
    ...ids.map((id) => named('deleted', id, now)),
    ...otherFacts({ ...parameters }, now, ['userId', list]),
  ];
  const lasting = ids.filter((id) => user?.lastingIds?.includes(id.toLowerCase())).length;
  const warnings: Warning[] = [
    amber('credential-ends', 'The user cannot act by it any more, and all sessions of the user may end'),
  ];
  if (user !== undefined && lasting > 0 && lasting === user.lasting)
    warnings.push(red('last-credential', 'The user then has no key or passkey that lasts, by what the service says'));
  return { title: sentence(kind), form: 'people', facts, warnings };
}

export function readDeletedUsers({ parameters, now }: Given): Read {
  const ids = listOf(parameters, 'userIds').map(String);
  const roots = now?.rootQuorum?.userIds ?? [];
  const facts = ids.map((id) => named(roots.includes(id.toLowerCase()) ? 'deleted root user' : 'deleted user', id, now));
  return {
    title: ids.length === 1 ? 'Delete a user' : `Delete ${ids.length} users`,
    form: 'people',
    facts: [...facts, ...otherFacts({ ...parameters }, now, ['userIds'])],
    warnings: [red('user-ends', 'Users end for good, with their credentials, tags and sessions')],
  };
}

const READ_ONLY = 'it asks queries, and changes nothing';

/** What a session may do, and by whose word. */
function rightOf(kind: string, profileId: string, now: Now | undefined): Fact[] {
  if (kind === 'CREATE_READ_ONLY_SESSION') return [fact('it may', READ_ONLY, 'text')];
  if (profileId === '') return [fact('it may', 'do all that the user may do', 'text')];
  const builtIn = BUILT_IN_PROFILES.find(({ id }) => id === profileId.toLowerCase());
  const scope = builtIn?.scope ?? now?.profileScope;
  const facts = [
    builtIn ? fact('session profile', builtIn.name, 'text', { note: 'built in' }) : named('session profile', profileId, now),
  ];
  const note = builtIn ? builtIn.notes! : 'as the service says';
  return scope === undefined ? facts : [...facts, fact('it may submit only', scope, 'text', { note })];
}

const SESSION = ['publicKey', 'targetPublicKey', 'expirationSeconds', 'sessionProfileId', 'userId', 'invalidateExisting'];

function sessionTitle(kind: string, profileId: string): string {
  if (profileId === ENROL_PROFILE.id) return 'Make a link that adds a passkey';
  if (kind === 'CREATE_READ_ONLY_SESSION' || profileId === READ_PROFILE.id) return 'Sign in, to look and change nothing';
  return profileId === '' ? 'Sign in with all rights of the user' : 'Sign in';
}

/** A new session: its key, its end and its right. */
export function readSession({ kind, parameters, now }: Given): Read {
  const key = textOf(parameters, 'publicKey') || textOf(parameters, 'targetPublicKey');
  const userId = textOf(parameters, 'userId');
  const profileId = textOf(parameters, 'sessionProfileId');
  const seconds = scalar(parameters, 'expirationSeconds');
  const builtIn = BUILT_IN_PROFILES.find(({ id }) => id === profileId.toLowerCase());
  const facts = [
    userId === '' ? fact('acts as', 'the user who asks', 'text') : named('acts as', userId, now),
    ...(key === '' ? [] : [fact('its key', key, 'hex')]),
    fact('it lasts', seconds === '' ? 'as long as the service lets it' : `${durationText(seconds)} at most`, 'text'),
    ...rightOf(kind, profileId, now),
    ...(member(parameters, 'invalidateExisting') === true ? [fact('other sessions', 'all of the user end', 'text')] : []),
    ...otherFacts({ ...parameters }, now, SESSION),
  ];
  const isNarrow = kind === 'CREATE_READ_ONLY_SESSION' || builtIn !== undefined;
  const full = profileId === '' ? red('full-session', 'The holder of the key can then do all that the user may do') : GIVES;
  return { title: sessionTitle(kind, profileId.toLowerCase()), form: 'people', facts, warnings: isNarrow ? [] : [full] };
}
