import type { Purpose } from '../../model/keys.ts';
import { flag, id, int, nullable, sealed, text } from '../columns.ts';
import { table } from '../table.ts';

/** Possible values of `signWith`: addresses of wallet accounts and of private keys, and private key ids. */
export const signers = table('signers', {
  organizationId: id(),
  /** The organization's parent, for the parent's search over its sub-organizations. */
  parentId: nullable(id()),
  address: text(),
  /** ADDRESS_FORMAT_…, or '' for a private key's id. */
  format: text(),
  /** Id of the wallet account or private key whose secret signs. */
  keyId: id(),
  /** Null for a standalone private key. */
  walletId: nullable(id()),
  curve: text(),
  disabled: flag(),
  /** The place of the address among the addresses of its key. */
  position: int(),
});

export const secrets = table('secrets', { organizationId: id(), id: id(), purpose: text<Purpose>(), sealed: sealed() });
