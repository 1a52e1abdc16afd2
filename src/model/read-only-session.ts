/** Lets its user read until it expires, without a stamp. */
export type ReadOnlySession = {
  organizationId: string;
  id: string;
  userId: string;
  /** A keyed hash of the session's secret. */
  secret: Buffer;
  /**
   * The credential that made the session. The session ends when the credential does. The credential's IP allow-list applies to the
   * session's requests.
   */
  credentialId: string;
  expiresAt: number;
  createdAt: number;
};

type Place = Pick<ReadOnlySession, 'organizationId' | 'id'>;

const PREFIX = 'ro_';
const ID_BYTES = 16;
/** Length of the two ids in base64url. */
const PLACE = 43;
/** Length of 32 bytes in base64url. */
const SECRET = 43;
const FORM = new RegExp(`^${PREFIX}[\\w-]{${PLACE + SECRET}}$`);

const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

const idOf = (bytes: Buffer): string => bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** The value of `X-Session`. It names its row, so the row is found by its key, and the secret is only compared. */
export function writeSession({ organizationId, id }: Place, secret: string): string {
  return PREFIX + Buffer.concat([bytesOf(organizationId), bytesOf(id)]).toString('base64url') + secret;
}

/** Undefined if the text has another form. */
export function readSession(text: string): (Place & { secret: string }) | undefined {
  if (!FORM.test(text)) return undefined;
  const ids = Buffer.from(text.slice(PREFIX.length, PREFIX.length + PLACE), 'base64url');
  const secret = text.slice(PREFIX.length + PLACE);
  return { organizationId: idOf(ids.subarray(0, ID_BYTES)), id: idOf(ids.subarray(ID_BYTES)), secret };
}

/** The secret's name for the keyed hash. */
export const sessionSecret = ({ organizationId, id }: Place) => ({ organizationId, id, purpose: 'read-only-session' });
