/** The shapes of answers that pages use, from the generated types of the API. */
import type { components } from '../../../openapi/client/public-api.d.ts';

type Schemas = components['schemas'];

export type Activity = Schemas['Activity'];
export type Vote = Schemas['Vote'];
export type ActivityStatus = Schemas['ActivityStatusName'];
export type User = Schemas['User'];
