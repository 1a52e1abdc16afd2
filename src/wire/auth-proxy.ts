import { z } from 'zod';
import {
  ANY_ORIGIN,
  AUTH_METHODS,
  type AuthMethod,
  type AuthProxySettings,
  SOCIAL_PROVIDERS,
  type SocialProvider,
} from '../model/auth-proxy.ts';
import { EmailCustomizationParams, senderParams } from './mail.ts';

const MOST_ORIGINS = 100;
const MOST_CLIENT_IDS = 100;

/** An origin with a scheme that browsers know, or with one of a native shell, such as capacitor://localhost. */
const ORIGIN = /^[a-z][a-z0-9+.-]*:\/\/[a-z0-9._~[\]:-]+$/;

const HINT = 'must be * or origins as browsers send them, such as https://app.example.com or http://localhost:3000';

/** Why a text is no origin that a browser sends; undefined if it is one. */
function originProblem(text: string): string | undefined {
  if (text === ANY_ORIGIN) return undefined;
  if (text.includes('*')) return `${HINT}: the only wildcard is * alone`;
  const url = URL.parse(text);
  if (url !== null && url.origin !== 'null' && url.origin !== text) return `${HINT}. Write ${JSON.stringify(url.origin)}`;
  return ORIGIN.test(text) && url !== null ? undefined : HINT;
}

const Origin = z
  .string()
  .max(255, 'must have at most 255 characters')
  .superRefine((text, { addIssue }) => {
    const message = originProblem(text);
    if (message !== undefined) addIssue({ code: 'custom', message });
  });

const named = <const N extends string>(names: readonly N[]) =>
  z
    .string()
    .max(64)
    .transform((text) => text.toLowerCase())
    .pipe(z.enum(names as readonly [N, ...N[]], { error: `must be one of ${names.join(', ')}` }));

const clientId = z.string().min(1, 'must not be empty').max(512, 'must have at most 512 characters');

const redirectUrl = z
  .string()
  .max(2048, 'must have at most 2048 characters')
  .refine((text) => text === '' || isRedirect(text), 'must be a URL, such as https://app.example.com/callback');

function isRedirect(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && !['javascript:', 'data:', 'vbscript:', 'blob:', 'file:'].includes(url.protocol);
}

const WalletKitSettings = z.object({
  enabledSocialProviders: z.array(named(SOCIAL_PROVIDERS)).max(SOCIAL_PROVIDERS.length).optional(),
  oauthClientIds: z
    .record(z.string().regex(/^\w{1,64}$/, 'must have the name of a provider, such as google, as key'), clientId)
    .refine((ids) => Object.keys(ids).length <= 20, 'must have at most 20 members')
    .optional(),
  oauthRedirectUrl: redirectUrl.optional(),
});

const seconds = (most: number) =>
  z.int(`must be a whole number of seconds from 1 to ${most}`).min(1).max(most, `must be at most ${most} seconds`);

/** A year: the longest session. */
const LONGEST_SESSION = 365 * 24 * 60 * 60;

const templateId = z.string().max(64, 'must be the UUID of an email template');

export const AuthProxyParams = z.object({
  allowedOrigins: z
    .array(Origin)
    .max(MOST_ORIGINS, `must have at most ${MOST_ORIGINS} origins`)
    .refine((origins) => !origins.includes(ANY_ORIGIN) || origins.length === 1, 'must be * alone, or a list of origins')
    .optional(),
  allowedAuthMethods: z.array(named(AUTH_METHODS)).max(AUTH_METHODS.length).optional(),
  ...senderParams,
  emailAuthTemplateId: templateId.optional(),
  otpTemplateId: templateId.optional(),
  emailCustomizationParams: EmailCustomizationParams.optional(),
  smsCustomizationParams: z.object({ template: z.string().max(1600, 'must have at most 1600 characters').optional() }).optional(),
  walletKitSettings: WalletKitSettings.optional(),
  otpExpirationSeconds: seconds(600).optional(),
  verificationTokenExpirationSeconds: seconds(86_400).optional(),
  sessionExpirationSeconds: seconds(LONGEST_SESSION).optional(),
  otpAlphanumeric: z.boolean().optional(),
  otpLength: z.int('must be a whole number from 6 to 9').min(6).max(9).optional(),
  verificationTokenRequiredForGetAccountPii: z.boolean().optional(),
  socialLinkingClientIds: z.array(clientId).max(MOST_CLIENT_IDS, `must have at most ${MOST_CLIENT_IDS} client IDs`).optional(),
  captchaEnabled: z.boolean().optional(),
});

export type AuthProxyParams = z.output<typeof AuthProxyParams>;

/**
 * The settings with those that a request gives. Omitted settings stay unchanged. A given object replaces the whole earlier one.
 */
export function changedSettings(settings: AuthProxySettings, given: AuthProxyParams): AuthProxySettings {
  const { emailCustomizationParams, smsCustomizationParams, walletKitSettings, ...rest } = given;
  const plain = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...settings,
    ...plain,
    ...(emailCustomizationParams && { emailCustomizationParams: withoutAbsent(emailCustomizationParams) }),
    ...(smsCustomizationParams && { smsCustomizationParams: { template: smsCustomizationParams.template ?? '' } }),
    ...(walletKitSettings && {
      walletKitSettings: {
        enabledSocialProviders: unique<SocialProvider>(walletKitSettings.enabledSocialProviders ?? []),
        oauthClientIds: walletKitSettings.oauthClientIds ?? {},
        oauthRedirectUrl: walletKitSettings.oauthRedirectUrl ?? '',
      },
    }),
    ...(given.allowedAuthMethods && { allowedAuthMethods: unique<AuthMethod>(given.allowedAuthMethods) }),
    ...(given.allowedOrigins && { allowedOrigins: unique(given.allowedOrigins) }),
  };
}

const unique = <T>(list: readonly T[]): T[] => [...new Set(list)];

const withoutAbsent = <T extends object>(given: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as never;
