import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { Payload, payloadFields, SignWith } from '../../wire/signing.ts';

const P1 = z.object({ privateKeyId: SignWith, payload: Payload, ...payloadFields });
const P2 = z.object({ signWith: SignWith, payload: Payload, ...payloadFields });

export const params = v1(P1).to(2, P2, ({ privateKeyId, ...rest }) => ({ signWith: privateKeyId, ...rest }));
