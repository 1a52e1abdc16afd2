import { buying, COINBASE, coinbaseCredential, coinbaseKeys, MOONPAY, moonpayCredential, moonpayKeys } from '../on-ramp.ts';
import type { Flow } from './flows.ts';

export const onRamp: Flow = {
  kinds: ['CREATE_FIAT_ON_RAMP_CREDENTIAL', 'UPDATE_FIAT_ON_RAMP_CREDENTIAL', 'INIT_FIAT_ON_RAMP'],
  async run({ service, root, ramps, secret, done, fails, errors }) {
    const { edwards, ec } = coinbaseKeys;
    const keys = [moonpayKeys.secret, edwards.text, ec.text, ...ec.text.split('\n').slice(1, -2)];
    for (const text of keys) secret('an on-ramp credential: a key', text);
    const wrong = secret('an on-ramp credential: a wrong key', 'sk_test_of_the_canary');
    const made = async (credential: object) => {
      const result = await done(root, 'CREATE_FIAT_ON_RAMP_CREDENTIAL', credential, 'createFiatOnRampCredentialResult');
      return { fiatOnrampCredentialId: result.fiatOnRampCredentialId };
    };
    const moonpay = await made(await moonpayCredential(service.url, wrong));
    const coinbase = await made(await coinbaseCredential(service.url, { ...edwards, keyId: ec.keyId }));
    const noKey = await coinbaseCredential(service.url, { ...edwards, text: wrong });
    await fails(root, 'CREATE_FIAT_ON_RAMP_CREDENTIAL', noKey);
    await fails(root, 'INIT_FIAT_ON_RAMP', buying(COINBASE));
    for (const update of [
      { ...moonpay, ...(await moonpayCredential(service.url)) },
      { ...coinbase, ...(await coinbaseCredential(service.url, ec)) },
    ])
      await done(root, 'UPDATE_FIAT_ON_RAMP_CREDENTIAL', update, 'updateFiatOnRampCredentialResult');
    const urlForSignature = `https://buy.moonpay.com/?apiKey=${moonpayKeys.apiKey}`;
    for (const wish of [buying(MOONPAY, { urlForSignature }), buying(COINBASE)]) {
      const begun = await done(root, 'INIT_FIAT_ON_RAMP', wish, 'initFiatOnRampResult');
      const page = new URL(secret('INIT_FIAT_ON_RAMP: the page', begun.onRampUrl));
      for (const name of ['signature', 'sessionToken'])
        if (page.searchParams.has(name)) secret(`INIT_FIAT_ON_RAMP: the ${name}`, page.searchParams.get(name)!);
      if (begun.onRampUrlSignature) secret('INIT_FIAT_ON_RAMP: the second signature', begun.onRampUrlSignature);
      const asked = { transactionId: begun.onRampTransactionId, refresh: true };
      const { status, text } = await root.query('get_onramp_transaction_status', asked);
      if (status !== 200) throw new Error(`the status is not told: ${text}`);
    }
    for (const jwt of ramps.jwts) secret('a JWT for Coinbase', jwt);
    ramps.answer((request, response) => {
      secret('a JWT for Coinbase', request.headers.authorization!.slice('Bearer '.length));
      response.writeHead(400).end(JSON.stringify({ message: `no: ${request.headers.authorization}` }));
    });
    const answer = await root.submit('INIT_FIAT_ON_RAMP', buying(COINBASE));
    ramps.answer(undefined);
    errors.push(answer.text);
  },
};
