import { z } from 'zod';
import { tokenOfContact, useToken } from '../../domain/otp/verification-token.ts';
import { contactsOf } from '../../domain/people/contacts.ts';
import { changeUser } from '../../domain/people/user-changes.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { EmailText, Id, IdOut } from '../../wire/common.ts';
import { VerificationTokenText } from '../../wire/tokens.ts';

export const updateUserEmail = activity({
  kind: 'UPDATE_USER_EMAIL',
  resource: 'USER',
  action: 'UPDATE',
  summary: 'Change a user’s email, which a verification token marks as verified; an empty one removes it',
  secrets: ['verificationToken'],
  params: v1(z.object({ userId: Id, userEmail: EmailText, verificationToken: VerificationTokenText.optional() })),
  result: { key: 'updateUserEmailResult', shape: z.object({ userId: IdOut }) },
  errors: [contactsOf, tokenOfContact, changeUser, useToken],
  check: ({ intent: { userEmail } }) => void contactsOf({ userEmail }, 'parameters'),
  prepare: async ({ ctx, intent: { userEmail, verificationToken } }) =>
    tokenOfContact(ctx, verificationToken, contactsOf({ userEmail }, 'parameters')),
  async execute({ ctx, intent: { userId, userEmail }, prepared: token }) {
    const { email } = contactsOf({ userEmail }, 'parameters');
    await changeUser(ctx, userId, { email: { contact: email, verified: token !== undefined } });
    if (token !== undefined) await useToken(ctx, token, 'update');
    return { userId };
  },
});
