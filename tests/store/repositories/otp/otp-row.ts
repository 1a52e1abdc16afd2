import type { Otp } from '../../../../src/model/otp.ts';
import { digestOf, idOf, NOW } from '../../names.ts';

export const otpOf = (organizationId: string, id: string, more: Partial<Otp> = {}): Otp => ({
  organizationId: idOf(organizationId),
  use: 'sealed',
  type: 'OTP_TYPE_EMAIL',
  contact: 'Mail@Example.com',
  userIdentifier: digestOf('somebody'),
  userId: null,
  code: Buffer.from('keyed hash'),
  misses: 0,
  targetPublicKey: '04ab',
  targetKey: Buffer.from('sealed key'),
  expiresAt: NOW + 1000,
  createdAt: NOW,
  byProxy: false,
  ...more,
  id: idOf(id),
});
