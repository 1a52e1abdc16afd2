import { addressForms } from '../chains/index.ts';
import { emailKey } from '../login/contacts.ts';
import { phoneForms } from './contacts.ts';

/** What a parent may find its sub-organizations by. */
export const FILTERS = [
  'NAME',
  'USERNAME',
  'EMAIL',
  'PHONE_NUMBER',
  'CREDENTIAL_ID',
  'PUBLIC_KEY',
  'WALLET_ACCOUNT_ADDRESS',
] as const;

export type FilterType = (typeof FILTERS)[number];

/** The forms under which a value may be stored. */
export function storedForms(by: FilterType, value: string): string[] {
  if (by === 'EMAIL') return [emailKey(value.normalize('NFC'))];
  if (by === 'PHONE_NUMBER') return phoneForms(value);
  if (by === 'PUBLIC_KEY') return [value.toLowerCase()];
  if (by === 'WALLET_ACCOUNT_ADDRESS') return [...addressForms(value)];
  // Clients send it as base64url, and some with padding or as base64.
  if (by === 'CREDENTIAL_ID') return [Buffer.from(value, 'base64').toString('base64url')];
  return [value];
}
