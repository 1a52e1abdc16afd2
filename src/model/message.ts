/** The appearance of a mail about signing in. */
export type MailStyle = {
  appName: string;
  logoUrl?: string | undefined;
  /** A URL with one `%s`, which the code or the bundle replaces. */
  magicLinkTemplate?: string | undefined;
  templateVariables?: Readonly<Record<string, string>> | undefined;
  /** A stored template. Absent: our own design. */
  templateId?: string | undefined;
};

/** Absent members: the operator's settings apply. */
export type MailSender = { address?: string | undefined; name?: string | undefined; replyTo?: string | undefined };

/** `expiresAt`: when the code or link expires. The message is not sent after that. */
type Lasting = { to: string; expiresAt: number };

type Styled = Lasting & { style: MailStyle; sender: MailSender };

export type CodeMail = Styled & { template: 'code'; code: string };

/** A credential, sealed for the client. `recovery`: the credential can only make a new passkey. */
export type BundleMail = Styled & { template: 'credential' | 'recovery'; bundle: string };

export type InvitationMail = Lasting & {
  template: 'invitation';
  invitationId: string;
  userName: string;
  senderName: string;
  organizationName: string;
  link: string;
};

/** The service paused a webhook endpoint. */
export type PausedEndpointMail = Lasting & {
  template: 'paused-endpoint';
  endpointId: string;
  endpointName: string;
  url: string;
  organizationName: string;
};

/** `at`: when a recovery takes effect, or did. `why`: why it ended. */
export type RecoveryStage = { stage: 'pending'; at: number } | { stage: 'done'; at: number } | { stage: 'ended'; why: string };

/** The operator adds a key to a root user. */
export type RootRecoveryMail = Lasting & {
  template: 'root-recovery';
  organizationName: string;
  organizationId: string;
  userName: string;
  reason: string;
} & RecoveryStage;

/** The operator ended a freeze. `what`: such as `wallet 0191…`. */
export type UnfrozenMail = Lasting & { template: 'unfrozen'; organizationName: string; what: string; reason: string };

/** Mails that the service sends in its own name. */
export type ServiceMail = InvitationMail | PausedEndpointMail | RootRecoveryMail | UnfrozenMail;

const OF_SERVICE: readonly MailMessage['template'][] = ['invitation', 'paused-endpoint', 'root-recovery', 'unfrozen'];

/** Topic `mail` of the outbox. */
export type MailMessage = CodeMail | BundleMail | ServiceMail;

export const isOfService = (mail: MailMessage): mail is ServiceMail => OF_SERVICE.includes(mail.template);

/** Topic `sms` of the outbox. The text includes `code`. */
export type SmsMessage = Lasting & { text: string; code: string };

/** A stored HTML template of a top-level organization. Its sub-organizations use it too. */
export type MailTemplate = {
  organizationId: string;
  id: string;
  name: string;
  html: string;
  /** The names of the variables in the template, such as `OtpCode`. */
  uses: readonly string[];
  createdAt: number;
};
