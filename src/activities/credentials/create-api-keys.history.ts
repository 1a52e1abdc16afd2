import { z } from 'zod';
import { v1 } from '../../engine/activity/versions.ts';
import { Id } from '../../wire/common.ts';
import { ApiKeyParams, ApiKeyParamsV2, MANY_API_KEYS, onP256 } from '../../wire/credentials.ts';

const P1 = z.object({ userId: Id, apiKeys: z.array(ApiKeyParams).min(1, 'must name at least one API key').max(MANY_API_KEYS) });
const P2 = z.object({ userId: Id, apiKeys: z.array(ApiKeyParamsV2).min(1, 'must name at least one API key').max(MANY_API_KEYS) });

export const params = v1(P1).to(2, P2, (p) => ({ userId: p.userId, apiKeys: onP256(p.apiKeys) }));
