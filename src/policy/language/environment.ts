import type { Root } from './root.ts';
import { oneOf, type Shapes, type TextShape, UUID } from './shapes.ts';
import { BOOL, INT, listOf, mapOf, STRING, type StructType, struct, TIMESTAMP, type Type, typeName, UINT } from './types.ts';

/** One type of activity, as far as policies can distinguish it. */
export type ActivityRow = {
  readonly type: string;
  readonly kind: string;
  readonly resource: string;
  readonly action: string;
  /** The keywords that may be present besides `activity`. */
  readonly roots: readonly string[];
  /** Set if it is a vote. */
  readonly votes?: 'VOTE_SELECTION_APPROVED' | 'VOTE_SELECTION_REJECTED';
  /** Set if it signs bytes that policies cannot read: parameter → the values for which it does. */
  readonly unread?: Readonly<Record<string, readonly string[]>>;
  /** Set if it may be a batch, whose elements are judged one by one. */
  readonly batch?: true;
  /** Set if it signs with a key, or may name one. */
  readonly namesKey?: true;
};

/** Activity type → the parameters visible in `activity.params`. All others are hidden from policies. */
export type ParameterTable = Readonly<Record<string, Readonly<Record<string, Type>>>>;

/** The contribution of one part of the program, such as a chain, to an environment. */
export type EnvironmentPart = { readonly roots: readonly Root[]; readonly shapes: Shapes };

export type Environment = {
  readonly roots: ReadonlyMap<string, Root>;
  /** The indexed fields, the most selective first. */
  readonly indexed: readonly { readonly keyword: string; readonly field: string }[];
  /** At most one root of each list is present at a time. */
  readonly exclusive: readonly (readonly string[])[];
  /** Roots that show the content to be signed. */
  readonly signed: readonly string[];
  readonly shapes: Shapes;
  /** All activity types; empty if the environment does not describe activities. */
  readonly activities: readonly ActivityRow[];
  /** Names in the published interface that only a later release serves. */
  readonly later: Readonly<Record<ActivityField, readonly string[]>>;
};

export type ActivityField = 'type' | 'kind' | 'resource' | 'action';

/** The roots that an expression may use, and the known facts about their values. */
export function makeEnvironment(
  roots: readonly Root[],
  known: Partial<Omit<Environment, 'roots' | 'indexed'>> = {},
): Environment {
  const later = { type: [], kind: [], resource: [], action: [] };
  const nothing = { exclusive: [], signed: [], shapes: {}, activities: [], later };
  // Every activity has the root `activity`, and many policies name the same types and kinds.
  const byUse = [...roots].sort((a, b) => Number(a.keyword === 'activity') - Number(b.keyword === 'activity'));
  const indexed = byUse.flatMap(({ keyword, indexed: fields = [] }) => fields.map((field) => ({ keyword, field })));
  return { ...nothing, ...known, indexed, roots: new Map(roots.map((root) => [root.keyword, root])) };
}

export const user = struct('User', { id: STRING, tags: listOf(STRING), email: STRING, alias: STRING });

export const credential = struct('Credential', {
  id: STRING,
  user_id: STRING,
  type: STRING,
  credential_id: STRING,
  public_key: STRING,
});

export const wallet = struct('Wallet', { id: STRING, imported: BOOL, exported: BOOL, label: STRING });

const walletAccount = struct('WalletAccount', {
  address: STRING,
  path_indexes: listOf(INT),
  path_hardened: listOf(BOOL),
  path: STRING,
  wallet_id: STRING,
  curve: STRING,
  address_format: STRING,
});

export const privateKey = struct('PrivateKey', {
  id: STRING,
  tags: listOf(STRING),
  imported: BOOL,
  exported: BOOL,
  label: STRING,
});

/** Each velocity control by its identifier. */
const controls: StructType = { kind: 'struct', name: 'Controls', fields: {}, open: BOOL };

const vote = struct('Vote', { selection: STRING });

export const secret = struct('Secret', { static_properties: mapOf(STRING) });

/** The struct of all parameters of all types. A field that the activity's type lacks is absent when read. */
function parametersType(table: ParameterTable): StructType {
  const fields: Record<string, Type> = {};
  const fieldsOf: Record<string, readonly string[]> = {};
  for (const [activity, own] of Object.entries(table)) {
    for (const [name, type] of Object.entries(own)) {
      const known = fields[name] ?? type;
      if (typeName(known) !== typeName(type))
        throw new Error(`activity.params.${name} is declared as ${typeName(known)}, and by ${activity} as ${typeName(type)}`);
      fields[name] = known;
    }
    fieldsOf[activity] = Object.keys(own);
  }
  return { kind: 'struct', name: 'Parameters', fields, tag: { root: 'activity', field: 'type', fieldsOf } };
}

/** The activity struct, with parameters from the given table. */
function activityType(table: ParameterTable): StructType {
  return struct('Activity', { type: STRING, kind: STRING, resource: STRING, action: STRING, params: parametersType(table) });
}

/** The root of velocity controls. It is last, because published roots keep their places. */
export const controlsRoot: Root = { keyword: 'controls', part: 'condition', type: controls, policiesOnly: true };

const NO_BLANKS = '\\s.*|.*\\s';

/** An account or a contract of any chain. Those that begin with 0x are checked. */
const ofAnyChain: TextShape = {
  is: 'an address: with 0x, it has 40 hexadecimal digits',
  pattern: '0x[0-9a-f]{40}',
  judged: `${NO_BLANKS}|0x.*`,
};

const transferShape = { kind: oneOf('transfer', 'approval', 'permit', 'fee'), recipient: ofAnyChain, token: ofAnyChain };

/** `recipient` is missing if it is not in what is signed. `token`: its contract or mint; '' for the coin. */
const transfer = struct('Transfer', { kind: STRING, recipient: STRING, token: STRING, amount: UINT });

/** What conditions of velocity controls may use: the condition's roots of policies, and each transfer. */
export function transferEnvironment(environment: Environment): Environment {
  const roots = [...environment.roots.values()].filter((root) => !root.policiesOnly && !root.scopesOnly);
  return makeEnvironment([...roots, { keyword: 'transfer', part: 'condition', type: transfer }], {
    ...environment,
    shapes: { ...environment.shapes, Transfer: transferShape },
  });
}

/** The roots that every environment has. */
export function coreRoots(table: ParameterTable): readonly Root[] {
  return [
    { keyword: 'approvers', part: 'consensus', type: listOf(user) },
    { keyword: 'credentials', part: 'consensus', type: listOf(credential) },
    { keyword: 'activity', part: 'condition', type: activityType(table), indexed: ['type', 'kind', 'resource', 'action'] },
    { keyword: 'wallet', part: 'condition', type: wallet, indexed: ['id'] },
    { keyword: 'wallets', part: 'condition', type: listOf(wallet) },
    { keyword: 'wallet_account', part: 'condition', type: walletAccount, indexed: ['address'] },
    { keyword: 'private_key', part: 'condition', type: privateKey, indexed: ['id'] },
    { keyword: 'secret', part: 'condition', type: secret },
    { keyword: 'vote', part: 'condition', type: vote, scopesOnly: true },
    { keyword: 'time.now', part: 'time', type: TIMESTAMP },
  ];
}

/** An activity signs with one key, from a wallet or a private key. `wallets` is for activities on several. */
export const coreExclusive: Environment['exclusive'] = [
  ['wallet', 'wallets', 'private_key'],
  ['wallet_account', 'wallets', 'private_key'],
];

const CREDENTIALS = [
  ...['WEBAUTHN_AUTHENTICATOR', 'API_KEY_P256', 'API_KEY_SECP256K1', 'API_KEY_ED25519', 'LOGIN', 'RECOVER_USER_KEY_P256'],
  ...['EMAIL_AUTH_KEY_P256', 'OTP_AUTH_KEY_P256', 'READ_WRITE_SESSION_KEY_P256', 'OAUTH_KEY_P256'],
].map((name) => `CREDENTIAL_TYPE_${name}`);

export const coreShapes: Shapes = {
  User: { id: UUID, tags: UUID },
  Credential: { id: UUID, user_id: UUID, type: oneOf(...CREDENTIALS) },
  // A rejection is judged alone.
  Vote: { selection: oneOf('VOTE_SELECTION_APPROVED') },
  Wallet: { id: UUID },
  PrivateKey: { id: UUID, tags: UUID },
  // An address may have any format. Those that begin with 0x are checked by length.
  WalletAccount: {
    address: {
      is: 'an address: with 0x, it has 40 or 64 hexadecimal digits',
      pattern: '0x(?:[0-9a-f]{40}|[0-9a-f]{64})',
      judged: `${NO_BLANKS}|0x.*`,
    },
    path: { is: "a path such as m/44'/60'/0'/0/0, with ' after each hardened index", pattern: "m(?:/[0-9]+'?)*" },
    wallet_id: UUID,
  },
};
