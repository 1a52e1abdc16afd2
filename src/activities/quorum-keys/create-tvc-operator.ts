import { z } from 'zod';
import { ApiError, invalid } from '../../base/errors.ts';
import { parsePath } from '../../crypto/derivation.ts';
import { derivedAddresses, prepareAccounts, prepareWallet, storeAccounts, storeWallet } from '../../domain/keys/wallets.ts';
import { requireRoom } from '../../domain/limits/limits.ts';
import { activity, STRING } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { IdOut } from '../../wire/common.ts';
import { CreateTvcOperatorParams } from '../../wire/quorum-keys.ts';

/** The account at step 0 opens shares, the one at step 1 signs approvals. */
const accountsAt = (path: string) =>
  [0, 1].map((step) => ({
    curve: 'CURVE_P256' as const,
    pathFormat: 'PATH_FORMAT_BIP32' as const,
    path: `${path}/${step}`,
    addressFormat: 'ADDRESS_FORMAT_UNCOMPRESSED' as const,
  }));

const FIELD = 'parameters.path';

export const createTvcOperator = activity({
  kind: 'CREATE_TVC_OPERATOR',
  resource: 'TVC_OPERATOR',
  action: 'CREATE',
  summary: 'Create an operator of verifiable apps whose two keys are accounts of a new wallet, or of an existing one',
  custody: 'create',
  params: v1(CreateTvcOperatorParams),
  policyParams: {
    operator_name: [STRING, ({ operatorName }) => operatorName],
    wallet_id: [STRING, ({ walletId = '' }) => walletId],
    path: [STRING, ({ path }) => path],
  },
  result: {
    key: 'createTvcOperatorResult',
    shape: z.object({ walletId: IdOut, operatorId: IdOut, encryptPublicKey: z.string(), signPublicKey: z.string() }),
  },
  errors: ['NOT_FOUND', 'REQUEST_INVALID', prepareAccounts, prepareWallet, requireRoom, storeAccounts, storeWallet],
  check({ intent: { walletId, walletName, path } }) {
    if (parsePath(`${path}/0`) === undefined) throw invalid(FIELD, "invalid path: must look like m/5527107'/0'/0'");
    if ((walletId === undefined) === (walletName === undefined))
      throw invalid('parameters.walletId', 'must be given if walletName is not, and only then');
  },
  async prepare({ ctx, intent: { walletId, walletName, path } }) {
    if (walletId === undefined) {
      const made = await prepareWallet(ctx, { walletName: walletName!, accounts: accountsAt(path) }, 'parameters');
      return { walletId: made.wallet.id, wallet: made, accounts: made.accounts };
    }
    const name = { organizationId: ctx.organization.id, id: walletId, purpose: 'mnemonic' } as const;
    const sealed = await ctx.read.signers.sealedSecret(name.organizationId, walletId, name.purpose);
    if (sealed === undefined) throw new ApiError('NOT_FOUND', `wallet not found: parameters.walletId names ${walletId}`);
    return { walletId, accounts: await prepareAccounts(ctx, walletId, { name, sealed }, accountsAt(path), FIELD) };
  },
  derived: ({ accounts }) => derivedAddresses(accounts),
  async execute({ ctx, intent: { operatorName, path }, prepared: { walletId, wallet, accounts } }) {
    const { organization, store, ids, limits, now } = ctx;
    const have = await store.organizations.count(organization.id, 'tvcOperatorCount');
    requireRoom(have, 1, limits.tvcOperators, 'operators of verifiable apps', 'LIMIT_TVC_OPERATORS');
    if (wallet !== undefined) await storeWallet(ctx, organization, wallet, 'parameters');
    else if (await store.wallets.get(organization.id, walletId)) {
      for (const { account } of accounts)
        if (await store.wallets.hasAccount(organization.id, walletId, account.path, account.curve, account.addressFormat))
          throw invalid(FIELD, 'the wallet has an account below this path already');
      await storeAccounts(ctx, organization, accounts, FIELD);
    } else throw new ApiError('NOT_FOUND', `wallet not found: parameters.walletId names ${walletId}`);
    const [encryptPublicKey, signPublicKey] = accounts.map(({ account }) => account.address) as [string, string];
    const keys = { encryptPublicKey, signPublicKey };
    const operator = { organizationId: organization.id, id: ids.next(), name: operatorName, ...keys, walletId, path };
    await store.tvcOperators.insert({ ...operator, createdAt: now });
    return { walletId, operatorId: operator.id, ...keys };
  },
});
