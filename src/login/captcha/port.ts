/** `unreachable`: Turnstile did not answer, or is failing. */
export type CaptchaVerdict = 'passed' | 'failed' | 'unreachable';

export type CaptchaQuestion = {
  token: string;
  /** The address of the request. Undefined if it is not known. */
  address: string | undefined;
  /** A UUID of the question: two questions under one UUID count once. */
  id: string;
  /** The payer by which the shares of concurrent questions are counted. */
  payer: string;
};

export type CaptchaPort = {
  /** For pages: they make tokens with it. */
  siteKey: string;
  /** Throws `Unreachable` if too many questions are in progress here. */
  verify(question: CaptchaQuestion): Promise<CaptchaVerdict>;
};
