import { z } from 'zod';
import { contactsOf } from '../../domain/people/contacts.ts';
import { setTags } from '../../domain/people/tags.ts';
import { changeUser } from '../../domain/people/user-changes.ts';
import { activity } from '../../engine/activity/declare.ts';
import { v1 } from '../../engine/activity/versions.ts';
import { EmailText, Id, IdOut, Label, PhoneText } from '../../wire/common.ts';

const params = z.object({
  userId: Id,
  userName: Label.optional(),
  userEmail: EmailText.optional(),
  userTagIds: z.array(Id).max(100).optional(),
  userPhoneNumber: PhoneText.optional(),
});

export const updateUser = activity({
  kind: 'UPDATE_USER',
  resource: 'USER',
  action: 'UPDATE',
  summary:
    'Change a user; omitted members stay, an empty email or phone number is removed, and the given tags replace all others',
  params: v1(params),
  result: { key: 'updateUserResult', shape: z.object({ userId: IdOut }) },
  errors: [contactsOf, changeUser, setTags],
  check: ({ intent: change }) => void contactsOf(change, 'parameters'),
  async execute({ ctx, intent: { userId, userName, userEmail, userPhoneNumber, userTagIds } }) {
    const { email, phone } = contactsOf({ userEmail, userPhoneNumber }, 'parameters');
    await changeUser(ctx, userId, {
      name: userName,
      email: userEmail === undefined ? undefined : { contact: email },
      phone: userPhoneNumber === undefined ? undefined : { contact: phone },
    });
    if (userTagIds !== undefined) await setTags(ctx, ctx.organization.id, userId, userTagIds, 'parameters.userTagIds');
    return { userId };
  },
});
