import { z } from 'zod';
import { tokenOfContact, useToken } from '../../domain/otp/verification-token.ts';
import { contactsOf } from '../../domain/people/contacts.ts';
import { changeUser } from '../../domain/people/user-changes.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { Id, IdOut, PhoneText } from '../../wire/common.ts';
import { VerificationTokenText } from '../../wire/tokens.ts';

export const updateUserPhoneNumber = activity({
  kind: 'UPDATE_USER_PHONE_NUMBER',
  resource: 'USER',
  action: 'UPDATE',
  summary: 'Change a user’s phone number, which a verification token marks as verified; an empty one removes it',
  secrets: ['verificationToken'],
  params: v1(z.object({ userId: Id, userPhoneNumber: PhoneText, verificationToken: VerificationTokenText.optional() })),
  result: { key: 'updateUserPhoneNumberResult', shape: z.object({ userId: IdOut }) },
  errors: ['REQUEST_INVALID', 'NOT_FOUND'],
  check: (_, { userPhoneNumber }) => void contactsOf({ userPhoneNumber }, 'parameters'),
  prepare: async (ctx, { userPhoneNumber, verificationToken }) =>
    tokenOfContact(ctx, verificationToken, contactsOf({ userPhoneNumber }, 'parameters')),
  async execute(ctx, { userId, userPhoneNumber }, _subject, token) {
    const { phone } = contactsOf({ userPhoneNumber }, 'parameters');
    await changeUser(ctx, userId, { phone: { contact: phone, verified: token !== undefined } });
    if (token !== undefined) await useToken(ctx, token, 'update');
    return { userId };
  },
});
