/**
 * `@turnkey/http` as the check sees it. Its own declarations spell each answer out in 17 MB, and `@turnkey/sdk-server` brings a second
 * copy. These are made of the small file that those are generated from, and import none that leads to them.
 */
import type { operations } from '../../node_modules/@turnkey/http/dist/__generated__/services/coordinator/public/v1/public_api.types.d.ts';
import type { TActivityResponse } from '../../node_modules/@turnkey/http/dist/shared.d.ts';

export type { definitions as TurnkeyApiTypes } from '../../node_modules/@turnkey/http/dist/__generated__/services/coordinator/public/v1/public_api.types.d.ts';
export * from '../../node_modules/@turnkey/http/dist/shared.d.ts';
export { getWebAuthnAttestation } from '../../node_modules/@turnkey/http/dist/webauthn.d.ts';

type NameOf<Operation> = Operation extends `PublicApiService_${infer Name}` ? Name : never;
type BodyOf<Operation> = Operation extends { parameters: { body: { body: infer Body } } } ? Body : never;
type AnswerOf<Operation> = Operation extends { responses: { 200: { schema: infer Answer } } } ? Answer : never;

type Methods = {
  [O in keyof operations as Uncapitalize<NameOf<O>>]: (input: BodyOf<operations[O]>) => Promise<AnswerOf<operations[O]>>;
} & { [O in keyof operations as `stamp${NameOf<O>}`]: (input: BodyOf<operations[O]>) => Promise<TSignedRequest> };

type Stamp = { stampHeaderName: string; stampHeaderValue: string };
type Stamper = { stamp: (input: string) => Promise<Stamp> };
export type TSignedRequest = { body: string; stamp: Stamp; url: string };

declare class Client {
  config: { baseUrl: string };
  stamper: Stamper;
  name: string;
  constructor(config: { baseUrl: string }, stamper: Stamper);
  request<Body, Answer>(url: string, body: Body): Promise<Answer>;
}
export type TurnkeyClient = Client & Methods;
export const TurnkeyClient: new (...given: ConstructorParameters<typeof Client>) => TurnkeyClient;

export declare class TurnkeyRequestError extends Error {
  details: any[] | null;
  code: number;
  constructor(input: { message: string; code: number; details: unknown[] | null });
}

export function createActivityPoller<O extends TActivityResponse, I extends object>(params: {
  client: TurnkeyClient;
  requestFn: (input: I) => Promise<O>;
  refreshIntervalMs?: number;
}): (input: I) => Promise<O['activity']>;

export function sealAndStampRequestBody(input: {
  body: Record<string, unknown>;
  apiPublicKey?: string;
  apiPrivateKey?: string;
}): Promise<{ sealedBody: string; xStamp: string }>;
