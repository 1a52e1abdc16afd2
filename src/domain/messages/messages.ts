import { domainToASCII } from 'node:url';
import { errorsOf } from '../../base/declared-errors.ts';
import { ApiError, invalid, textOf, Unreachable } from '../../base/errors.ts';
import { UUID } from '../../base/ids.ts';
import type { OutboxEvent, PrepareContext } from '../../engine/context.ts';
import { logoProblem, magicLinkProblem } from '../../messages/links.ts';
import { smsTemplateProblem, smsText } from '../../messages/sms.ts';
import { templateVariables } from '../../messages/variables.ts';
import type { BundleMail, CodeMail, MailSender, MailStyle, MailTemplate, SmsMessage } from '../../model/message.ts';
import { topLevelIdOf } from '../../model/organization.ts';
import type { EmailCustomization, SenderParams, SmsCustomization } from '../../wire/mail.ts';
import { emailOf } from '../people/contacts.ts';

type Checking = Pick<PrepareContext<'none'>, 'read' | 'organization' | 'messages'>;
type Sending = { after(event: OutboxEvent): void };

/** The parts of an intent that determine how a mail looks. `emailCustomization.appName` counts if `appName` is absent. */
export type MailParams = SenderParams & { appName?: string | undefined; emailCustomization?: EmailCustomization | undefined };

type MailWish = {
  /** The content of the mail. */
  carries: 'code' | 'bundle';
  /** The address as it is stored. */
  to: string;
  /** The field of the request that it is from. */
  field: string;
  params: MailParams;
};

/** A mail that may be sent, without its content. */
export type MailDraft = { to: string; style: MailStyle; sender: MailSender };

export type SmsDraft = { to: string; appName: string; template: string | undefined };

const AT = 'parameters.emailCustomization';
const SMS_AT = 'parameters.smsCustomization';

/** '' counts as absent: clients send it for an empty field. */
const given = (text: string | undefined): string | undefined => text || undefined;

/** The part of an address after its @, in DNS form. */
const domainOf = (email: string): string => domainToASCII(email.slice(email.lastIndexOf('@') + 1)).toLowerCase();

const noContents = (why: string, at = AT) => {
  const text = `failed to get email template contents: ${why}`;
  return invalid(`${at}.templateId`, text);
};

/** For `check`: refuses parameters that can be refused without a database. `at`: where the request has `emailCustomization`. */
export function checkMailParams({ emailCustomization: wanted = {}, ...sender }: MailParams, at = AT): void {
  const { logoUrl, magicLinkTemplate, templateVariables: variables, templateId } = wanted;
  const logo = logoUrl && logoProblem(logoUrl);
  if (logo) throw invalid(`${at}.logoUrl`, logo);
  const link = magicLinkTemplate && magicLinkProblem(magicLinkTemplate);
  if (link) throw invalid(`${at}.magicLinkTemplate`, `invalid magic link template: it ${link}`);
  if (variables && templateVariables(variables) === undefined)
    throw invalid(
      `${at}.templateVariables`,
      'failed to unmarshal template variables: they must be a JSON object of at most 100 texts and 16,384 bytes',
    );
  if (templateId && !UUID.test(templateId))
    throw noContents(`there is no template ${JSON.stringify(templateId.slice(0, 64))}`, at);
  for (const name of ['sendFromEmailAddress', 'replyToEmailAddress'] as const)
    if (sender[name]) emailOf(sender[name], `parameters.${name}`);
}
checkMailParams.errors = errorsOf('REQUEST_INVALID', emailOf);

/** For `check`. */
export function checkSmsParams({ smsCustomization }: { smsCustomization?: SmsCustomization | undefined }, at = SMS_AT): void {
  const problem = smsCustomization?.template && smsTemplateProblem(smsCustomization.template);
  if (problem) throw invalid(`${at}.template`, problem);
}
checkSmsParams.errors = errorsOf('REQUEST_INVALID');

/** An address of a domain that the operator does not list is ignored, together with the other two members. */
function senderOf(params: SenderParams, domains: ReadonlySet<string>): MailSender {
  const address = given(params.sendFromEmailAddress);
  const replyTo = given(params.replyToEmailAddress);
  if (address !== undefined && !domains.has(domainOf(address))) return {};
  return {
    ...(address === undefined ? {} : { address, name: given(params.sendFromEmailSenderName) ?? 'Notifications' }),
    ...(replyTo !== undefined && domains.has(domainOf(replyTo)) ? { replyTo } : {}),
  };
}

/** Throws EMAIL_SENDING_DISABLED. */
export function requireMail({ messages }: Pick<Checking, 'messages'>): void {
  if (!messages.mail.enabled) throw new ApiError('EMAIL_SENDING_DISABLED');
}
requireMail.errors = errorsOf('EMAIL_SENDING_DISABLED');

/** Whether a template has a place for the mail's content. */
function canCarry({ uses }: Pick<MailTemplate, 'uses'>, { carries }: Pick<MailWish, 'carries'>, hasLink: boolean): boolean {
  return uses.includes(carries === 'code' ? 'OtpCode' : 'CredentialBundle') || (hasLink && uses.includes('MagicLink'));
}

/** The named template, or else the latest of the organization that can carry this. */
async function templateFor(ctx: Checking, wish: MailWish): Promise<string | undefined> {
  const { emailCustomization: wanted = {} } = wish.params;
  const owner = topLevelIdOf(ctx.organization);
  const hasLink = Boolean(wanted.magicLinkTemplate);
  if (!wanted.templateId) {
    const all = await ctx.read.mailTemplates.ofOrganization(owner);
    return all.find((template) => canCarry(template, wish, hasLink))?.id;
  }
  const template = await ctx.read.mailTemplates.get(owner, wanted.templateId.toLowerCase());
  if (template === undefined) throw noContents(`there is no template ${wanted.templateId}`);
  if (!canCarry(template, wish, hasLink))
    throw noContents(`this template does not contain ${wish.carries === 'code' ? '{{ .OtpCode }}' : '{{ .CredentialBundle }}'}`);
  return template.id;
}

/** The name of the application, or of the users' organization. */
async function appNameOf({ read, organization }: Pick<Checking, 'read' | 'organization'>, wanted?: string): Promise<string> {
  if (wanted) return wanted;
  const { parentId } = organization;
  const top = parentId === null ? organization : await read.organizations.get(parentId);
  return (top ?? organization).name;
}

/**
 * For `prepare`: all checks of a mail that may fail. Throws EMAIL_SENDING_DISABLED, INVALID_EMAIL, INVALID_FQDN and
 * REQUEST_INVALID, and `Unreachable` if DNS does not answer now.
 */
export async function checkMail(ctx: Checking, wish: MailWish): Promise<MailDraft> {
  const { params, to, field } = wish;
  requireMail(ctx);
  checkMailParams(params);
  // Older programs may have stored texts that are no address by the current rules.
  emailOf(to, field);
  const { emailCustomization: wanted = {} } = params;
  const { mail } = ctx.messages;
  const templateId = await templateFor(ctx, wish);
  if (!(await reaches(mail, to))) {
    const description = textOf('INVALID_FQDN');
    throw new ApiError('INVALID_FQDN', `bad request body: ${field}: ${description}`, { violations: [{ field, description }] });
  }
  const style: MailStyle = {
    appName: await appNameOf(ctx, given(params.appName) ?? given(wanted.appName)),
    logoUrl: given(wanted.logoUrl),
    magicLinkTemplate: given(wanted.magicLinkTemplate),
    templateVariables: wanted.templateVariables ? templateVariables(wanted.templateVariables) : undefined,
    templateId,
  };
  return { to, style, sender: senderOf(params, mail.senderDomains) };
}
checkMail.errors = errorsOf(checkMailParams, 'INVALID_FQDN', requireMail);

async function reaches(mail: Checking['messages']['mail'], to: string): Promise<boolean> {
  try {
    return await mail.reaches(domainOf(to));
  } catch {
    throw new Unreachable('DNS did not answer whether this email address can be reached');
  }
}

/** For `execute`: sends a mail after the commit. `expiresAt`: when its content expires. */
export function sendMail(
  { after }: Sending,
  draft: MailDraft,
  carried: ({ template: 'code'; code: string } | { template: 'credential' | 'recovery'; bundle: string }) & { expiresAt: number },
): void {
  const payload: CodeMail | BundleMail = { ...draft, ...carried };
  after({ topic: 'mail', payload, sealed: true, expiresAt: carried.expiresAt });
}

/** For `prepare`. `to`: in E.164. Throws SMS_SENDING_DISABLED and REQUEST_INVALID. */
export async function checkSms(
  ctx: Checking,
  { to, params }: { to: string; params: { appName?: string | undefined; smsCustomization?: SmsCustomization | undefined } },
): Promise<SmsDraft> {
  if (!ctx.messages.sms.enabled) throw new ApiError('SMS_SENDING_DISABLED');
  checkSmsParams(params);
  return { to, appName: await appNameOf(ctx, given(params.appName)), template: given(params.smsCustomization?.template) };
}
checkSms.errors = errorsOf(checkSmsParams, 'SMS_SENDING_DISABLED');

/** For `execute`: sends an SMS after the commit. */
export function sendSms({ after }: Sending, draft: SmsDraft, { code, expiresAt }: { code: string; expiresAt: number }): void {
  const payload: SmsMessage = { to: draft.to, code, text: smsText(draft.template, draft.appName, code), expiresAt };
  after({ topic: 'sms', payload, sealed: true, expiresAt });
}
