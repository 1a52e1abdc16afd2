import {
  type BundleMail,
  type CodeMail,
  type InvitationMail,
  isOfService,
  type MailMessage,
  type PausedEndpointMail,
  type RootRecoveryMail,
  type UnfrozenMail,
} from '../model/message.ts';
import { type Block, htmlMail, textMail } from './layout.ts';
import { magicLink } from './links.ts';
import { escapeHtml, renderTemplate, type Template } from './template.ts';

export type MailContents = { subject: string; text: string; html: string };

/** The time left, for people. */
function lasting(ms: number): string {
  const units = [
    ['day', 86_400_000],
    ['hour', 3_600_000],
    ['minute', 60_000],
  ] as const;
  const [name, size] = units.find(([, size]) => ms >= 2 * size) ?? units[2];
  const count = Math.max(1, Math.round(ms / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}

const UNASKED = 'If you did not ask for this, you can ignore this mail.';

const linkOf = ({ style }: CodeMail | BundleMail, filler: string): string | undefined =>
  style.magicLinkTemplate === undefined ? undefined : magicLink(style.magicLinkTemplate, filler);

const buttonOf = (button: string, link: string | undefined): Block[] => (link === undefined ? [] : [{ button, link }]);

type Page = { subject: string; preview: string; name: string; logoUrl: string | undefined; blocks: Block[] };

/** Names of people and organizations may have invisible characters, which change how the surrounding text is read. */
const seen = (name: string): string => name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, (c) => (c === '\u200d' ? c : ''));

function codePage(mail: CodeMail, left: string): Page {
  const { logoUrl } = mail.style;
  const name = seen(mail.style.appName);
  const link = linkOf(mail, mail.code);
  return {
    subject: `Sign in to ${name}`,
    preview: `Your code is ${mail.code}. It is valid for ${left}.`,
    name,
    logoUrl,
    blocks: [
      { text: 'Enter this code where you asked to sign in:' },
      { code: mail.code },
      ...buttonOf('Sign in with this link', link),
      { note: `The code is valid for ${left} and works once. Do not share it with anyone.` },
      { note: UNASKED },
    ],
  };
}

function bundlePage(mail: BundleMail, left: string): Page {
  const { logoUrl } = mail.style;
  const name = seen(mail.style.appName);
  const link = linkOf(mail, mail.bundle);
  const isRecovery = mail.template === 'recovery';
  const subject = isRecovery ? `Recover your access to ${name}` : `Sign in to ${name}`;
  const where = isRecovery ? 'you asked to recover your access' : 'you asked to sign in';
  return {
    subject,
    preview: `It is valid for ${left}.`,
    name,
    logoUrl,
    blocks: [
      ...buttonOf(isRecovery ? 'Recover your access' : 'Sign in', link),
      { text: `${link === undefined ? 'Copy' : 'Or copy'} this code to where ${where}:` },
      { bundle: mail.bundle },
      { note: `It is valid for ${left}, and only on the device where you asked for it.` },
      { note: UNASKED },
    ],
  };
}

function invitationPage(mail: InvitationMail, left: string): Page {
  const { link } = mail;
  const [senderName, name, userName] = [mail.senderName, mail.organizationName, mail.userName].map(seen) as [
    string,
    string,
    string,
  ];
  return {
    subject: `${senderName} invites you to ${name}`,
    preview: `Accept with a passkey within ${left}.`,
    name,
    logoUrl: undefined,
    blocks: [
      { text: `Hello ${userName},` },
      {
        text: `${senderName} invites you to the organization “${name}”. You sign in with a passkey, which you make when you accept.`,
      },
      { button: 'Accept the invitation', link },
      { note: `The link is valid for ${left} and works once. Anyone who has it can accept in your place: do not share it.` },
      { note: 'If you do not know the sender, you can ignore this mail.' },
    ],
  };
}

function pausedEndpointPage(mail: PausedEndpointMail, left: string): Page {
  const [endpointName, name] = [seen(mail.endpointName), seen(mail.organizationName)] as [string, string];
  return {
    subject: `The webhook endpoint “${endpointName}” is paused`,
    preview: 'It took no event for 72 hours.',
    name,
    logoUrl: undefined,
    blocks: [
      {
        text: `The webhook endpoint “${endpointName}” of the organization “${name}” took no event for 72 hours. The service paused it and calls it no more: ${mail.url}`,
      },
      { text: 'Mend the receiver. Then resume the endpoint with update_webhook_endpoint and these parameters:' },
      { bundle: JSON.stringify({ endpointId: mail.endpointId, isActive: true }) },
      { note: `Its events are kept for ${left}, at most 100,000. They are delivered when it resumes.` },
    ],
  };
}

function rootRecoveryPage(mail: RootRecoveryMail): Page {
  const [userName, name] = [seen(mail.userName), seen(mail.organizationName)] as [string, string];
  const at = mail.stage === 'ended' ? '' : new Date(mail.at).toUTCString();
  const reason: Block = { note: `The operator's reason: ${seen(mail.reason)}` };
  const whose = `the root user “${userName}” of the organization “${name}”`;
  const page = { name, logoUrl: undefined };
  if (mail.stage === 'pending')
    return {
      ...page,
      subject: `A recovery of “${userName}” is pending`,
      preview: `It takes effect on ${at}, unless a root user ends it.`,
      blocks: [
        { text: `The operator of this service adds an API key to ${whose}. It takes effect on ${at}.` },
        { text: 'If any root user still has a credential, any request that it stamps ends the recovery. For example:' },
        { bundle: './countersign query whoami' },
        reason,
        { note: 'If you expect the recovery, do nothing.' },
      ],
    };
  if (mail.stage === 'done')
    return {
      ...page,
      subject: `The recovery of “${userName}” took effect`,
      preview: 'The user has a new API key.',
      blocks: [
        { text: `The operator of this service added an API key to ${whose} on ${at}.` },
        reason,
        { note: 'If you did not expect it, ask the operator of the service.' },
      ],
    };
  return {
    ...page,
    subject: `The recovery of “${userName}” has ended`,
    preview: 'Nothing was changed.',
    blocks: [
      { text: `The recovery of ${whose} has ended, and nothing was changed: ${seen(mail.why)}.` },
      reason,
      { note: 'The operator may begin another one.' },
    ],
  };
}

function unfrozenPage(mail: UnfrozenMail): Page {
  const name = seen(mail.organizationName);
  return {
    subject: `The operator ended a freeze in ${name}`,
    preview: `${mail.what} is no longer frozen.`,
    name,
    logoUrl: undefined,
    blocks: [
      { text: `The operator of this service ended the freeze of ${mail.what} in the organization “${name}”.` },
      { note: `The operator's reason: ${seen(mail.reason)}` },
      { note: 'If you did not expect it, freeze it again, and ask the operator of the service.' },
    ],
  };
}

function pageOf(mail: MailMessage, left: string): Page {
  if (mail.template === 'code') return codePage(mail, left);
  if (mail.template === 'paused-endpoint') return pausedEndpointPage(mail, left);
  if (mail.template === 'root-recovery') return rootRecoveryPage(mail);
  if (mail.template === 'unfrozen') return unfrozenPage(mail);
  return mail.template === 'invitation' ? invitationPage(mail, left) : bundlePage(mail, left);
}

function ownHtml(mail: CodeMail | BundleMail, template: Template): string {
  const carried = mail.template === 'code' ? mail.code : mail.bundle;
  const { appName, logoUrl, templateVariables } = mail.style;
  const values = {
    ...(mail.template === 'code' ? { OtpCode: carried } : { CredentialBundle: carried }),
    MagicLink: linkOf(mail, carried),
    AppName: appName,
    LogoUrl: logoUrl,
    variables: templateVariables,
  };
  return renderTemplate(template, values, escapeHtml);
}

/** The contents of a mail. `template`: the organization's own, in place of the service's HTML. The plain text is always the service's. */
export function mailContents(mail: MailMessage, now: number, template: Template | undefined): MailContents {
  const { subject, preview, name, logoUrl, blocks } = pageOf(mail, lasting(mail.expiresAt - now));
  const text = textMail(subject, blocks);
  const html =
    template === undefined || isOfService(mail)
      ? htmlMail({ title: subject, name, logoUrl, preview, blocks })
      : ownHtml(mail, template);
  return { subject, text, html };
}
