import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { PrivateKeyParams } from '../../wire/wallets.ts';

const P = z.object({ privateKeys: z.array(PrivateKeyParams).min(1, 'must name at least one private key').max(100) });

/** V2 changed only the result. */
export const params = v1(P).to(2, P, (p) => p);
