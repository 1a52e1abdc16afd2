import { test } from 'node:test';
import { sharedInstance } from '../support/instance.ts';
import { sharedMail } from '../support/mail.ts';
import { newTarget } from '../support/published.ts';
import { refused } from '../support/refusals.ts';
import { asking, newCustomer, setFeature } from './email/support.ts';

const mail = await sharedMail();
const instance = await sharedInstance({ ...mail.env, LIMIT_EXPIRING_API_KEYS: '0' });

for (const [type, feature] of [
  ['EMAIL_AUTH_V3', 'FEATURE_NAME_EMAIL_AUTH'],
  ['INIT_USER_EMAIL_RECOVERY_V2', 'FEATURE_NAME_EMAIL_RECOVERY'],
] as const)
  test(`${type} is refused with a code that it declares if users may have no expiring key`, async () => {
    await setFeature(instance.root, feature, true);
    const { parent, email } = await newCustomer(instance, type);
    const why = /at most 0 \(LIMIT_EXPIRING_API_KEYS\)$/;
    refused(await parent.submit(type, asking(email, newTarget())), [429, 'UNSPECIFIED', why]);
  });
