import { z } from 'zod';
import { Calls, callFields, checkFees, messageFields, transactionFields } from '../../chain-io/sends/evm/params.ts';
import { v1 } from '../../engine/activity/versions.ts';

const P1 = z.object({ ...transactionFields, ...messageFields, ...callFields }).superRefine(checkFees);
const P2 = z.object({ ...transactionFields, ...messageFields, calls: Calls }).superRefine(checkFees);

export const params = v1(P1).to(2, P2, ({ to, value, data, ...rest }) => ({ ...rest, calls: [{ to, value, data }] }));
