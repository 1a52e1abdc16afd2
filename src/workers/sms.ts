import type { SmsMessage } from '../model/message.ts';
import type { Texter } from '../outbound/types.ts';
import type { Topic } from './outbox.ts';

export const smsTopic = (texter: Texter): Topic => ({
  send({ id, payload }) {
    const { to, text, code } = payload as SmsMessage;
    return texter.send({ id, to, text, code });
  },
  secrets: (payload) => [(payload as SmsMessage).code],
});
