import type { Given, Read } from '../parts.ts';
import type { Form, Warning } from '../types.ts';
import { readDestruction, readExport, readFreeze } from './keys.ts';
import { amber, otherFacts, red, sentence } from './parts.ts';
import { readCredentials, readDeletedCredentials, readDeletedUsers, readNewUsers, readSession } from './people.ts';
import { readPolicy } from './policy.ts';
import { readRootQuorum } from './root-quorum.ts';
import { readDeletedTags, readUser, readUserTag } from './users.ts';
import { readVelocity } from './velocity.ts';

const GIVES = amber('new-credential', 'Its holder can then act as the user');
const NOT_DECODED = red('raw', 'Not decoded: amounts and recipients of Spark are not in what is signed');

const NO_SHAPE = red('not-decoded', 'Not decoded: the parameters have another shape than those of this type');

type Row = ((given: Given) => Read) | { readonly form: Form; readonly warnings?: readonly Warning[] };

/** By the kind's name. The first that fits counts. */
const ROWS: readonly (readonly [kinds: RegExp, row: Row])[] = [
  [/^(?:CREATE|UPDATE|DELETE)_POLIC(?:Y|IES)$/, readPolicy],
  [/^UPDATE_ROOT_QUORUM$/, readRootQuorum],
  [/^EXPORT_(?:WALLET|WALLET_ACCOUNT|PRIVATE_KEY|SECRETS)$/, readExport],
  [/^DELETE_(?:WALLETS|WALLET_ACCOUNTS|PRIVATE_KEYS|SECRETS|SUB_ORGANIZATION)$/, readDestruction],
  [/VELOCITY/, readVelocity],
  [/^COUNTERSIGN_(?:UN)?FREEZE$/, readFreeze],
  [/^CREATE_(?:API_KEYS|AUTHENTICATORS)$/, readCredentials],
  [/^CREATE_(?:USERS|API_ONLY_USERS)$/, readNewUsers],
  [/^DELETE_(?:API_KEYS|AUTHENTICATORS|OAUTH_PROVIDERS)$/, readDeletedCredentials],
  [/^DELETE_USERS$/, readDeletedUsers],
  [/^(?:STAMP_LOGIN|OTP_LOGIN|OAUTH_LOGIN|OTP_AUTH|OAUTH|CREATE_READ_(?:ONLY|WRITE)_SESSION)$/, readSession],
  [
    /^(?:CREATE_(?:OAUTH_PROVIDERS|INVITATIONS)|COUNTERSIGN_RECOVER_ROOT_USER|RECOVER_USER)$/,
    { form: 'people', warnings: [GIVES] },
  ],
  [/^UPDATE_USER(?:_NAME|_EMAIL|_PHONE_NUMBER)?$/, readUser],
  [/^UPDATE_USER_TAG$/, readUserTag],
  [/^DELETE_USER_TAGS$/, readDeletedTags],
  [/USER|API_KEYS|AUTHENTICATORS|OAUTH_PROVIDERS|INVITATION|MFA_POLICY|SESSION/, { form: 'people' }],
  [/^(?:SPARK_)/, { form: 'raw', warnings: [NOT_DECODED] }],
  [
    /^COUNTERSIGN_(?:SPEED_UP|CANCEL)_SEND$/,
    { form: 'other', warnings: [amber('names-a-send', 'It names a send by its id: look at that send too')] },
  ],
];

/** Any activity that signs nothing of a chain: what it changes, all its parameters, and what they give away. */
export function readAdministration(given: Given): Read {
  const { kind, parameters, now } = given;
  const row = ROWS.find(([kinds]) => kinds.test(kind))?.[1] ?? { form: 'other' as const };
  const fields = (form: Form, warnings: readonly Warning[] = []): Read => ({
    ...{ title: sentence(kind), form, warnings },
    facts: otherFacts({ ...parameters }, now),
  });
  if (typeof row !== 'function') return fields(row.form, row.warnings);
  try {
    return row(given);
  } catch {
    // A list may hold null where an object is expected.
    return fields('other', [NO_SHAPE]);
  }
}
