import { errorsOf } from '../../base/declared-errors.ts';
import { invalid } from '../../base/errors.ts';
import { sparkAddresses } from '../../chains/spark/address.ts';
import { sparkAccountAt } from '../../crypto/spark/paths.ts';
import type { SparkAccount } from '../../custody/types.ts';
import type { Organization } from '../../model/organization.ts';
import type { Reader } from '../../store/types.ts';
import { lookUpSigner, usableSigner } from '../keys/signers.ts';

const unfit = () =>
  invalid(
    'parameters.signWith',
    "must be the Spark address of a wallet account at m/8797555'/N'/0': Spark's other keys are derived beside that one",
  );

/** The Spark account whose identity key has this address. */
export async function sparkAccount(read: Reader, { id }: Organization, signWith: string): Promise<SparkAccount> {
  const { signer } = usableSigner(await lookUpSigner(read, id, signWith), signWith);
  if (signer.walletId === null || !sparkAddresses.some(({ name }) => name === signer.format)) throw unfit();
  const found = await read.wallets.account(id, signer.keyId);
  const sealed = await read.signers.sealedSecret(id, signer.walletId, 'mnemonic');
  const account = found && sparkAccountAt(found.path);
  if (account === undefined || sealed === undefined) throw unfit();
  return { mnemonic: { name: { organizationId: id, id: signer.walletId, purpose: 'mnemonic' }, sealed }, account };
}
sparkAccount.errors = errorsOf('REQUEST_INVALID', usableSigner);

/** The address as policies compare it: without the spelling in upper case. */
export const comparableAddress = ({ signWith }: { signWith: string }): string =>
  sparkAddresses.reduce((text, { normalize }) => normalize(text), signWith);
