import type { ActivityKind } from '../../engine/activity/declare.ts';
import { activateBillingTier } from './activate-billing-tier.ts';
import { deletePaymentMethod } from './delete-payment-method.ts';
import { setPaymentMethod } from './set-payment-method.ts';
import { updatePaymentMethod } from './update-payment-method.ts';

export const billing: readonly ActivityKind[] = [activateBillingTier, deletePaymentMethod, setPaymentMethod, updatePaymentMethod];
