import type { Holds } from '../columns.ts';
import { type AnyTable, type ModelOf, stored } from '../table.ts';
import { tables } from '../tables/index.ts';

/** The name under which a secret is sealed. */
export type SealedName = { organizationId: string; id: string; purpose: string };

type Row = Readonly<Record<string, string>>;

/** A column with sealed secrets. `key`: the primary key, by members of the model. `reads`: what `name` reads besides the key. */
export type SealedPlace = {
  table: AnyTable;
  column: string;
  key: readonly string[];
  reads: readonly string[];
  archived: boolean;
  name(row: Row): SealedName;
};

type Given<T> = {
  key: readonly (keyof ModelOf<T> & string)[];
  reads?: readonly (keyof ModelOf<T> & string)[];
  archived?: true;
  name: SealedPlace['name'];
};

const place = <T extends AnyTable>(table: T, column: keyof ModelOf<T> & string, given: Given<T>): SealedPlace => ({
  reads: [],
  archived: false,
  table,
  column,
  ...given,
});

const own = (purpose: string) => (row: Row) => ({ organizationId: row.organizationId!, id: row.id!, purpose });
const ofService = (idOf: (row: Row) => string) => (row: Row) => ({
  organizationId: 'service',
  id: idOf(row),
  purpose: 'service-key',
});

const BY_ID = ['organizationId', 'id'] as const;

/** All stored secrets under a master key, in the order of a rotation. An activity moves to the archive, so the archive is last. */
export const SEALED_PLACES: readonly SealedPlace[] = [
  place(tables.serviceKeys, 'sealed', { key: ['name'], name: ofService((row) => row.name!) }),
  place(tables.webhookKeys, 'sealed', { key: ['kid'], name: ofService((row) => `webhook ${row.kid}`) }),
  place(tables.secrets, 'sealed', { key: [...BY_ID, 'purpose'], name: (row) => own(row.purpose!)(row) }),
  place(tables.importTargets, 'sealed', {
    key: ['organizationId', 'userId', 'kind'],
    reads: ['id'],
    name: own('import-target'),
  }),
  place(tables.secretTargets, 'sealed', { key: ['organizationId', 'publicKey'], reads: ['id'], name: own('import-target') }),
  place(tables.otps, 'targetKey', { key: BY_ID, name: own('otp-target') }),
  place(tables.oauth2Credentials, 'sealedClientSecret', { key: BY_ID, name: own('client-secret') }),
  place(tables.fiatOnRampCredentials, 'sealedSecretApiKey', { key: BY_ID, name: own('on-ramp-secret') }),
  place(tables.fiatOnRampCredentials, 'sealedPrivateApiKey', { key: BY_ID, name: own('on-ramp-private-key') }),
  place(tables.authProxyConfigs, 'sealedKey', {
    key: ['organizationId'],
    reads: ['keyId'],
    name: ({ organizationId, keyId }) => ({ organizationId: organizationId!, id: keyId!, purpose: 'auth-proxy-key' }),
  }),
  place(tables.outbox, 'payload', { key: ['id'], reads: ['organizationId'], name: own('message') }),
  place(tables.activities, 'body', { key: BY_ID, name: own('activity-body') }),
  place(tables.activities, 'result', { key: BY_ID, name: own('activity-result') }),
  place(tables.archivedActivities, 'body', { key: BY_ID, archived: true, name: own('activity-body') }),
  place(tables.archivedActivities, 'result', { key: BY_ID, archived: true, name: own('activity-result') }),
];

/** Keyed hashes. They cannot be made anew, and each expires. */
export const HASH_PLACES = [
  { table: tables.otps, column: 'code', expires: 'expires_at' },
  { table: tables.invitations, column: 'secret', expires: 'expires_at' },
  { table: tables.readOnlySessions, column: 'secret', expires: 'expires_at' },
] as const;

/** The columns that hold something under a master key, as the tables say. */
export const holdingColumns = (): { table: string; column: string; holds: Holds }[] =>
  Object.values<AnyTable>(tables).flatMap((table) =>
    stored(table).flatMap(({ name, column }) => (column.holds ? [{ table: table.name, column: name, holds: column.holds }] : [])),
  );
