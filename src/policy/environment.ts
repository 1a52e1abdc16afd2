import { type ParameterTable, parametersType, parameterTable } from './parameters.ts';
import type { Part } from './problem.ts';
import { BOOL, INT, listOf, mapOf, STRING, type StructType, struct, TIMESTAMP, type Type } from './types.ts';

/** A keyword that expressions start from. */
export type Root = {
  readonly keyword: string;
  readonly type: Type;
  /** The part of a policy that may use it. */
  readonly part: Part;
};

export type Environment = { readonly roots: ReadonlyMap<string, Root> };

/** The roots that an expression may use. Chains add theirs by passing their rows along. */
export function makeEnvironment(roots: readonly Root[]): Environment {
  return { roots: new Map(roots.map((root) => [root.keyword, root])) };
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

export const walletAccount = struct('WalletAccount', {
  address: STRING,
  path_indexes: listOf(INT),
  path_hardened: listOf(BOOL),
});

export const privateKey = struct('PrivateKey', {
  id: STRING,
  tags: listOf(STRING),
  imported: BOOL,
  exported: BOOL,
  label: STRING,
});

export const secret = struct('Secret', { static_properties: mapOf(STRING) });

/** The activity struct, with parameters from the given table. */
export function activityType(table: ParameterTable): StructType {
  return struct('Activity', { type: STRING, kind: STRING, resource: STRING, action: STRING, params: parametersType(table) });
}

/** The roots that belong to no chain. */
export function coreRoots(table: ParameterTable = parameterTable): readonly Root[] {
  return [
    { keyword: 'approvers', part: 'consensus', type: listOf(user) },
    { keyword: 'credentials', part: 'consensus', type: listOf(credential) },
    { keyword: 'activity', part: 'condition', type: activityType(table) },
    { keyword: 'wallet', part: 'condition', type: wallet },
    { keyword: 'wallets', part: 'condition', type: listOf(wallet) },
    { keyword: 'wallet_account', part: 'condition', type: walletAccount },
    { keyword: 'private_key', part: 'condition', type: privateKey },
    { keyword: 'secret', part: 'condition', type: secret },
    { keyword: 'time.now', part: 'time', type: TIMESTAMP },
  ];
}
