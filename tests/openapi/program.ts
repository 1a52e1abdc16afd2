/** A program as a reader of the API documents writes it: the generated types, `fetch`, and a stamp. */
import { ApiKeyStamper } from '@turnkey/api-key-stamper';
import type { paths } from '../../openapi/client/public-api.d.ts';

type Json<T> = T extends { content: { 'application/json': infer Body } } ? Body : never;
type Body<P extends keyof paths> = Json<NonNullable<paths[P]['post']['requestBody']>>;
type Answer<P extends keyof paths> = Json<paths[P]['post']['responses'][200]>;

export type Credentials = { url: string; organizationId: string; publicKey: string; privateKey: string };

/** Makes a wallet, signs with it, and reads both back. */
export async function program({ url, organizationId, publicKey, privateKey }: Credentials) {
  const stamper = new ApiKeyStamper({ apiPublicKey: publicKey, apiPrivateKey: privateKey });
  async function post<P extends keyof paths>(path: P, body: Body<P>): Promise<Answer<P>> {
    const text = JSON.stringify(body);
    const { stampHeaderName, stampHeaderValue } = await stamper.stamp(text);
    const answer = await fetch(url + path, { method: 'POST', body: text, headers: { [stampHeaderName]: stampHeaderValue } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Answer<P>;
  }

  const { userId } = await post('/public/v1/query/whoami', { organizationId });
  const made = await post('/public/v1/submit/create_wallet', {
    type: 'ACTIVITY_TYPE_CREATE_WALLET',
    timestampMs: String(Date.now()),
    organizationId,
    parameters: {
      walletName: 'By the generated client',
      accounts: [
        {
          curve: 'CURVE_SECP256K1',
          pathFormat: 'PATH_FORMAT_BIP32',
          path: "m/44'/60'/0'/0/0",
          addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
        },
      ],
    },
  });
  const { walletId, addresses } = made.activity.result.createWalletResult!;
  const signed = await post('/public/v1/submit/sign_raw_payload', {
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2',
    timestampMs: String(Date.now()),
    organizationId,
    parameters: {
      signWith: addresses[0]!,
      payload: 'hello',
      encoding: 'PAYLOAD_ENCODING_TEXT_UTF8',
      hashFunction: 'HASH_FUNCTION_KECCAK256',
    },
  });
  const { wallets } = await post('/public/v1/query/list_wallets', { organizationId });
  const { activities } = await post('/public/v1/query/list_activities', { organizationId, paginationOptions: { limit: '1' } });
  return {
    userId,
    walletId,
    address: addresses[0]!,
    signature: signed.activity.result.signRawPayloadResult!,
    wallets,
    activities,
  };
}
