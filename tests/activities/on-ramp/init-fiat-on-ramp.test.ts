import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MoonPay } from '@moonpay/moonpay-node';
import { type Client, newKeys, post, resultOf, stampOf, submitPath } from '../../support/client.ts';
import { json } from '../../support/oauth2.ts';
import {
  BITCOIN_ADDRESS,
  buying,
  COINBASE,
  coinbaseCredential,
  coinbaseKeys,
  EVM_ADDRESS,
  MOONPAY,
  moonpayCredential,
  moonpayKeys,
  onRampEnv,
  SOLANA_ADDRESS,
  sharedOnRamps,
} from '../../support/on-ramp.ts';
import { refused, refusesEach } from '../../support/refusals.ts';
import { newPolicy } from '../mfa-policies/support.ts';
import { agreed, sharedPair } from '../support.ts';

const live = await sharedOnRamps();
const sandbox = await sharedOnRamps();
const { instance, pair } = await sharedPair({
  ...onRampEnv(live, { ...sandbox, url: `${sandbox.url}/below` }),
  TRUSTED_PROXIES: '127.0.0.1',
  ONRAMP_SEND_CLIENT_IP: 'on',
});
const { root } = instance;

const TYPE = 'INIT_FIAT_ON_RAMP';
const KEY = 'initFiatOnRampResult';

const add = async (client: Client, credential: object): Promise<string> =>
  resultOf(await client.submit('CREATE_FIAT_ON_RAMP_CREDENTIAL', credential), 'createFiatOnRampCredentialResult')
    .fiatOnRampCredentialId;
const begin = async (client: Client, parameters: object) => resultOf(await client.submit(TYPE, parameters), KEY);
const stored = async () => (await instance.raw('SELECT COUNT(*) AS n FROM on_ramp_transactions'))[0]!.n;

test('without a credential nothing is begun, and nobody is asked', async () => {
  const none: [number, string, RegExp] = [400, 'UNSPECIFIED', /neither this organization nor its parent has a credential for/];
  refused(await root.submit(TYPE, buying(MOONPAY)), none);
  assert.deepEqual([live.asked, Number(await stored())], [[], 0]);
});

test('Coinbase: keys of both types get a session token, with which its page opens once', async () => {
  for (const key of [coinbaseKeys.edwards, coinbaseKeys.ec]) {
    await add(root, await coinbaseCredential(instance.url, key));
    const more = {
      paymentMethod: 'FIAT_ON_RAMP_PAYMENT_METHOD_CREDIT_DEBIT_CARD',
      fiatCurrencyCode: 'FIAT_ON_RAMP_CURRENCY_USD',
    };
    const wish = buying(COINBASE, { ...more, fiatCurrencyAmount: '25.50', countryCode: 'US', countrySubdivisionCode: 'NY' });
    const { onRampUrl, onRampTransactionId, ...rest } = await begin(root, wish);
    assert.deepEqual(rest, {});
    const { token, ...session } = live.sessions.at(-1)!;
    assert.deepEqual(session, { addresses: [{ address: EVM_ADDRESS, blockchains: ['base'] }], assets: ['USDC'] });
    assert.deepEqual(await live.open(onRampUrl), {
      path: '/buy/select-asset',
      sessionToken: token,
      defaultNetwork: 'base',
      defaultAsset: 'USDC',
      presetFiatAmount: '25.50',
      fiatCurrency: 'USD',
      defaultPaymentMethod: 'CARD',
      partnerUserRef: onRampTransactionId,
      partnerUserId: onRampTransactionId,
    });
    await assert.rejects(live.open(onRampUrl));
  }
});

test('MoonPay: the signed page opens, and MoonPay’s own library agrees; a changed one does not open', async () => {
  await add(root, await moonpayCredential(instance.url));
  const asked = live.asked.length;
  const more = { paymentMethod: 'FIAT_ON_RAMP_PAYMENT_METHOD_SEPA_BANK_TRANSFER', fiatCurrencyCode: 'FIAT_ON_RAMP_CURRENCY_EUR' };
  const { onRampUrl, onRampTransactionId } = await begin(root, buying(MOONPAY, { ...more, fiatCurrencyAmount: '30' }));
  assert.equal(live.asked.length, asked, 'no provider is asked for it');
  const { signature, ...shown } = await live.open(onRampUrl);
  assert.deepEqual(shown, {
    path: '/',
    apiKey: moonpayKeys.apiKey,
    currencyCode: 'usdc_base',
    walletAddress: EVM_ADDRESS,
    baseCurrencyCode: 'eur',
    baseCurrencyAmount: '30',
    paymentMethod: 'sepa_bank_transfer',
    externalTransactionId: onRampTransactionId,
  });
  const theirs = new MoonPay(moonpayKeys.secret, { debug: false }).url;
  assert.ok(theirs.isSignatureValid(onRampUrl));
  const unsigned = new URL(onRampUrl);
  unsigned.searchParams.delete('signature');
  assert.equal(theirs.generateSignature(unsigned.href), signature);
  await assert.rejects(live.open(onRampUrl.replace('usdc_base', 'usdc_sol')));
});

test('each currency on each network has the providers’ own name', async () => {
  const N = 'FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_';
  const C = 'FIAT_ON_RAMP_CRYPTO_CURRENCY_';
  for (const [network, code, walletAddress, moonpay] of [
    ['BITCOIN', 'BTC', BITCOIN_ADDRESS, 'btc'],
    ['ETHEREUM', 'ETH', EVM_ADDRESS, 'eth'],
    ['ETHEREUM', 'USDC', EVM_ADDRESS, 'usdc'],
    ['SOLANA', 'SOL', SOLANA_ADDRESS, 'sol'],
    ['SOLANA', 'USDC', SOLANA_ADDRESS, 'usdc_sol'],
    ['BASE', 'ETH', EVM_ADDRESS, 'eth_base'],
  ]) {
    const wish = { walletAddress, network: N + network, cryptoCurrencyCode: C + code };
    assert.equal((await live.open((await begin(root, buying(MOONPAY, wish))).onRampUrl)).currencyCode, moonpay);
    const shown = await live.open((await begin(root, buying(COINBASE, wish))).onRampUrl);
    assert.deepEqual([shown.defaultNetwork, shown.defaultAsset], [network!.toLowerCase(), code]);
  }
});

test('a sandbox has credentials and addresses of its own', async () => {
  refused(await root.submit(TYPE, buying(COINBASE, { sandboxMode: true })), [400, 'UNSPECIFIED', /with sandboxMode: store one/]);
  await add(root, { ...(await coinbaseCredential(instance.url)), sandboxMode: true });
  await add(root, { ...(await moonpayCredential(instance.url)), sandboxMode: true });
  const asked = live.asked.length;
  const { onRampUrl, onRampTransactionId } = await begin(root, buying(COINBASE, { sandboxMode: true }));
  const shown = await sandbox.open(onRampUrl);
  assert.deepEqual([shown.path, shown.partnerUserRef], ['/', `sandbox-${onRampTransactionId}`]);
  assert.equal((await sandbox.open((await begin(root, buying(MOONPAY, { sandboxMode: true }))).onRampUrl)).path, '/');
  assert.equal(live.asked.length, asked);
});

test('a sub-organization uses its own credential, or its parent’s', async () => {
  // Two users agree. Only the first one, who sent the activity, sees the page.
  const agreedPage = async () => {
    const { id: activityId, result } = (await agreed(pair, TYPE, buying(MOONPAY))).body.activity;
    assert.equal(result[KEY].onRampUrl, '');
    return live.open((await pair.clients[0].query('get_activity', { activityId })).body.activity.result[KEY].onRampUrl);
  };
  assert.equal((await agreedPage()).apiKey, moonpayKeys.apiKey);
  const own = { ...(await moonpayCredential(instance.url)), publishableApiKey: 'pk_test_own' };
  await agreed(pair, 'CREATE_FIAT_ON_RAMP_CREDENTIAL', own);
  assert.equal((await agreedPage()).apiKey, 'pk_test_own');
});

test('the same body again gets the same page, and the provider is asked once', async () => {
  const body = root.bodyOf(TYPE, buying(COINBASE));
  const asked = live.asked.length;
  const send = async () => resultOf(await root.send(submitPath(TYPE), body), KEY);
  const first = await send();
  assert.deepEqual(await send(), first);
  assert.equal(live.asked.length, asked + 1);
});

test('the page is shown to its sender alone', async () => {
  const answer = await root.submit(TYPE, buying(MOONPAY));
  const { onRampUrl, onRampTransactionId } = resultOf(answer, KEY);
  const activityId = answer.body.activity.id;
  const { client } = await instance.newUser('Reader of activities');
  const shown = (await client.query('get_activity', { activityId })).body.activity.result[KEY];
  assert.deepEqual(shown, { onRampUrl: '', onRampTransactionId });
  assert.equal((await root.query('get_activity', { activityId })).body.activity.result[KEY].onRampUrl, onRampUrl);
});

test('the address of a client is sent if it is public, and not if another user’s vote completes the activity', async () => {
  const from = (client: Client, address: string, body: string, type = TYPE) =>
    post(`${client.url}${submitPath(type)}`, body, { 'x-forwarded-for': address, 'x-stamp': stampOf(client.keys, body) });
  const body = () => root.bodyOf(TYPE, buying(COINBASE));
  resultOf(await from(root, '8.8.4.4', body()), KEY);
  assert.equal(live.sessions.at(-1)!.clientIp, '8.8.4.4');
  resultOf(await from(root, '10.1.2.3', body()), KEY);
  assert.equal(live.sessions.at(-1)!.clientIp, undefined);
  const [first, second] = pair.clients;
  const shared = first.bodyOf(TYPE, buying(COINBASE));
  await from(first, '8.8.4.4', shared);
  resultOf(await from(second, '8.8.8.8', shared), KEY);
  assert.equal(live.sessions.at(-1)!.clientIp, undefined);
  // The submitter's own second stamp, for MFA, comes from the same person.
  const { organizationId, clients, userIds } = await instance.newSubOrganization('Careful', 1, 1);
  const [userId, mine, other] = [userIds[0]!, clients[0]!, newKeys()];
  const apiKeys = [{ apiKeyName: 'Other', publicKey: other.publicKey, curveType: 'API_KEY_CURVE_P256' }];
  const [id] = resultOf(await mine.submit('CREATE_API_KEYS_V2', { userId, apiKeys }), 'createApiKeysResult').apiKeyIds;
  const requiredAuthenticationMethods = [{ any: [{ type: 'AUTHENTICATION_TYPE_API_KEY', id }] }];
  await newPolicy(mine, userId, { condition: `activity.kind == '${TYPE}'`, requiredAuthenticationMethods });
  const { fingerprint } = (await from(mine, '8.8.4.4', mine.bodyOf(TYPE, buying(COINBASE)))).body.activity;
  const approval = mine.bodyOf('APPROVE_ACTIVITY', { fingerprint });
  resultOf(await from(root.as(other, organizationId), '8.8.8.8', approval, 'APPROVE_ACTIVITY'), KEY);
  assert.equal(live.sessions.at(-1)!.clientIp, '8.8.8.8');
});

test('urlForSignature: the query of the client’s own page is signed, if it buys what the activity says', async () => {
  const page = (more: string) => `https://buy.moonpay.com/?apiKey=${moonpayKeys.apiKey}&currencyCode=eth${more}`;
  const urlForSignature = page(`&walletAddress=${EVM_ADDRESS}&colorCode=%237d00ff`);
  const { onRampUrlSignature } = await begin(root, buying(MOONPAY, { urlForSignature }));
  assert.equal(new MoonPay(moonpayKeys.secret, { debug: false }).url.generateSignature(urlForSignature), onRampUrlSignature);
  const field = 'parameters.urlForSignature';
  const wrong = (url: string, text: RegExp) => [buying(MOONPAY, { urlForSignature: url }), field, text] as const;
  await refusesEach(root, TYPE, [
    wrong(page('&walletAddress=0x0000000000000000000000000000000000000001'), /its walletAddress must be/),
    wrong(`${page(`&walletAddress=${EVM_ADDRESS}`)}&walletAddress=0x1`, /its walletAddress must be/),
    wrong(page('&walletAddresses=%7B%7D'), /must have no walletAddresses/),
    wrong(page(`&walletAddress=${EVM_ADDRESS}&walletAddress%5B%5D=0x1`), /must have no walletAddress\[\]/),
    wrong(page('&WalletAddress=0x1'), /must have no WalletAddress/),
    wrong(page('&refundWalletAddress=0x1'), /must have no refundWalletAddress/),
    wrong(page('&signature=x'), /must have no signature/),
    wrong('https://buy.moonpay.com/?apiKey=pk_test_other', /its apiKey must be/),
    wrong(urlForSignature.replace('https:', 'http:'), /must be a URL that starts with https/),
    [buying(COINBASE, { urlForSignature }), field, /is for MoonPay/],
  ]);
});

test('an address of another chain, or one with a wrong character, is refused', async () => {
  const N = 'FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_';
  const bitcoin = { network: `${N}BITCOIN`, cryptoCurrencyCode: 'FIAT_ON_RAMP_CRYPTO_CURRENCY_BTC' };
  const solana = { network: `${N}SOLANA`, cryptoCurrencyCode: 'FIAT_ON_RAMP_CRYPTO_CURRENCY_SOL' };
  const legacy = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
  const taproot = 'bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr';
  const testnet = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
  for (const [network, walletAddress, sandboxMode] of [
    [bitcoin, legacy, false],
    [bitcoin, taproot, false],
    [bitcoin, BITCOIN_ADDRESS.toUpperCase(), false],
    [bitcoin, testnet, true],
    [bitcoin, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn', true],
  ] as const)
    await begin(root, buying(MOONPAY, { ...network, walletAddress, sandboxMode }));
  const wrong = (network: object, walletAddress: string) =>
    [buying(MOONPAY, { ...network, walletAddress }), 'parameters.walletAddress', /is not an address of/] as const;
  await refusesEach(root, TYPE, [
    wrong(solana, legacy),
    wrong(bitcoin, SOLANA_ADDRESS),
    wrong(bitcoin, EVM_ADDRESS),
    wrong(bitcoin, testnet),
    wrong(bitcoin, legacy.replace('Bv', 'Bw')),
    wrong(bitcoin, taproot.replace('5cy', '5cz')),
    // A Dogecoin address, which differs from Bitcoin's by its first byte.
    wrong(bitcoin, 'DBus3bamQjgJULBJtYXpEzDWQRwF5iwxgC'),
  ]);
});

test('what cannot be bought is refused', () =>
  refusesEach(root, TYPE, [
    [buying(MOONPAY, { walletAddress: BITCOIN_ADDRESS }), 'parameters.walletAddress', /is not an address of/],
    [
      buying(MOONPAY, { cryptoCurrencyCode: 'FIAT_ON_RAMP_CRYPTO_CURRENCY_BTC' }),
      'parameters.cryptoCurrencyCode',
      /is not a currency of FIAT_ON_RAMP_BLOCKCHAIN_NETWORK_BASE, which has FIAT_ON_RAMP_CRYPTO_CURRENCY_ETH and/,
    ],
    [
      buying(COINBASE, { paymentMethod: 'FIAT_ON_RAMP_PAYMENT_METHOD_VENMO' }),
      'parameters.paymentMethod',
      /VENMO is not a payment method of FIAT_ON_RAMP_PROVIDER_COINBASE/,
    ],
    [
      buying(MOONPAY, { paymentMethod: 'FIAT_ON_RAMP_PAYMENT_METHOD_ACH_BANK_ACCOUNT' }),
      'parameters.paymentMethod',
      /is not a payment method of FIAT_ON_RAMP_PROVIDER_MOONPAY/,
    ],
    [buying(COINBASE, { countryCode: 'US' }), 'parameters.countrySubdivisionCode', /must name the state/],
    ...['0', '0.00', '-1', '1e3', '1.', ''].map(
      (fiatCurrencyAmount) =>
        [
          buying(MOONPAY, { fiatCurrencyAmount }),
          'parameters.fiatCurrencyAmount',
          /must be a decimal number greater than 0/,
        ] as const,
    ),
  ]));

test('a failure of the provider leaves no half, and shows no key', async (t) => {
  t.after(() => live.answer(undefined));
  const rows = await stored();
  const cases: [number, object, [number, string, RegExp]][] = [
    [503, {}, [503, 'UNAVAILABLE', /Coinbase is unreachable now: Coinbase answered with status 503/]],
    [429, {}, [503, 'UNAVAILABLE', /status 429/]],
    [401, {}, [400, 'UNSPECIFIED', /Coinbase does not accept the keys of this organization/]],
    [
      400,
      { message: 'network not supported' },
      [400, 'REQUEST_INVALID', /refused the request with status 400: network not supported/],
    ],
    [302, {}, [400, 'REQUEST_INVALID', /status 302/]],
    [200, { token: 'a b' }, [400, 'REQUEST_INVALID', /answered without a session token/]],
  ];
  for (const [status, answer, expected] of cases) {
    live.answer((_, response) => json(response, status, answer));
    refused(await root.submit(TYPE, buying(COINBASE)), expected);
  }
  live.answer((request, response) => json(response, 400, { message: `bad ${request.headers.authorization}` }));
  const answer = await root.submit(TYPE, buying(COINBASE));
  refused(answer, [400, 'REQUEST_INVALID', /status 400$/]);
  live.answer((request) => request.socket.destroy());
  refused(await root.submit(TYPE, buying(COINBASE)), [503, 'UNAVAILABLE', /could not be reached/]);
  live.answer((_, response) => void response.writeHead(200).end('x'.repeat(70_000)));
  refused(await root.submit(TYPE, buying(COINBASE)), [400, 'REQUEST_INVALID', /more than 65536 bytes/]);
  assert.equal(await stored(), rows);
});

test('a policy sees who sells what for which address', async () => {
  const { client, userId } = await instance.newUser('Buyer');
  const condition = `activity.kind == 'INIT_FIAT_ON_RAMP' && activity.params.wallet_address == '${EVM_ADDRESS}'`;
  const policy = { policyName: 'Buying', effect: 'EFFECT_ALLOW', consensus: `approvers.any(user, user.id == '${userId}')` };
  resultOf(await root.submit('CREATE_POLICY_V3', { ...policy, condition, notes: '' }), 'createPolicyResult');
  await begin(client, buying(MOONPAY));
  const other = buying(MOONPAY, { walletAddress: '0x0000000000000000000000000000000000000001' });
  refused(await client.submit(TYPE, other), [403, 'REQUEST_NOT_AUTHORIZED', /sufficient permissions/]);
});

test('old transactions are removed by later ones', async () => {
  const { onRampTransactionId } = await begin(root, buying(MOONPAY));
  const status = () => root.query('get_onramp_transaction_status', { transactionId: onRampTransactionId });
  instance.clock.advance(90 * 24 * 3600 * 1000 + 1000);
  assert.equal((await status()).status, 200);
  for (let i = 0; i < 5; i++) await begin(root, buying(MOONPAY));
  assert.equal((await status()).status, 404);
});
