/** How a mail about signing in looks. */
export type MailStyle = {
  appName: string;
  logoUrl?: string | undefined;
  /** A URL with one `%s`, for the code or the bundle. */
  magicLinkTemplate?: string | undefined;
  templateVariables?: Readonly<Record<string, string>> | undefined;
  /** A stored template; absent: our own design. */
  templateId?: string | undefined;
};

/** Absent members: as the operator set them. */
export type MailSender = { address?: string | undefined; name?: string | undefined; replyTo?: string | undefined };

/** `expiresAt`: when what it carries is of no use any more. It is not sent after that. */
type Lasting = { to: string; expiresAt: number };

type Styled = Lasting & { style: MailStyle; sender: MailSender };

/** An OTP code. */
export type CodeMail = Styled & { template: 'code'; code: string };

/** A credential, sealed for the client. `recovery`: one that only makes a new passkey. */
export type BundleMail = Styled & { template: 'credential' | 'recovery'; bundle: string };

export type InvitationMail = Lasting & {
  template: 'invitation';
  invitationId: string;
  userName: string;
  senderName: string;
  organizationName: string;
  link: string;
};

/** Topic `mail` of the outbox. */
export type MailMessage = CodeMail | BundleMail | InvitationMail;

/** Topic `sms` of the outbox. `code` stands in the text too. */
export type SmsMessage = Lasting & { text: string; code: string };

/** A stored HTML template of a top-level organization, which its sub-organizations use too. */
export type MailTemplate = {
  organizationId: string;
  id: string;
  name: string;
  html: string;
  /** The names that it uses, such as `OtpCode`. */
  uses: readonly string[];
  createdAt: number;
};
