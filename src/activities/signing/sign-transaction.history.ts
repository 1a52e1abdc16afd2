import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { TransactionType } from '../../wire/enums.ts';
import { SignWith, UnsignedTransaction } from '../../wire/signing.ts';

const P1 = z.object({ privateKeyId: SignWith, unsignedTransaction: UnsignedTransaction, type: TransactionType });
const P2 = z.object({ signWith: SignWith, unsignedTransaction: UnsignedTransaction, type: TransactionType });

export const params = v1(P1).to(2, P2, ({ privateKeyId, ...rest }) => ({ signWith: privateKeyId, ...rest }));
