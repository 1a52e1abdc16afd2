import { z } from 'zod';
import { tokenOfContact, useToken } from '../../domain/otp/verification-token.ts';
import { phoneOf } from '../../domain/people/contacts.ts';
import { changeUser } from '../../domain/people/user-changes.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, PhoneText } from '../../wire/common.ts';
import { VerificationTokenText } from '../../wire/tokens.ts';

/** An empty text removes the number. */
const numberOf = (text: string) => (text ? phoneOf(text, 'parameters.userPhoneNumber') : null);

export const updateUserPhoneNumber = activity({
  kind: 'UPDATE_USER_PHONE_NUMBER',
  resource: 'USER',
  action: 'UPDATE',
  summary: 'Change a user’s phone number, which a verification token marks as verified; an empty one removes it',
  secrets: ['verificationToken'],
  params: v1(z.object({ userId: Id, userPhoneNumber: PhoneText, verificationToken: VerificationTokenText.optional() })),
  result: { key: 'updateUserPhoneNumberResult', shape: z.object({ userId: IdOut }) },
  errors: [phoneOf, tokenOfContact, changeUser, useToken],
  check: ({ intent: { userPhoneNumber } }) => void numberOf(userPhoneNumber),
  prepare: async ({ ctx, intent: { userPhoneNumber, verificationToken } }) =>
    tokenOfContact(ctx, verificationToken, { email: null, phone: numberOf(userPhoneNumber) }),
  async execute({ ctx, intent: { userId, userPhoneNumber }, prepared: token }) {
    const phone = numberOf(userPhoneNumber);
    await changeUser(ctx, userId, { phone: { contact: phone, verified: token !== undefined } });
    if (token !== undefined) await useToken(ctx, token, 'update');
    return { userId };
  },
});
