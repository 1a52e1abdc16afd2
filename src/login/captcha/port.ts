/** `unreachable`: Turnstile did not answer, or is in trouble. */
export type CaptchaVerdict = 'passed' | 'failed' | 'unreachable';

export type CaptchaQuestion = {
  token: string;
  /** Where the request comes from. Undefined if that is not known. */
  address: string | undefined;
  /** A UUID of the question: asked twice under one, it counts once. */
  id: string;
  /** On whose behalf: shares of what is under way are counted by it. */
  payer: string;
};

export type CaptchaPort = {
  /** For pages: what they make tokens with. */
  siteKey: string;
  /** Throws `Unreachable` if too many questions are under way here. */
  verify(question: CaptchaQuestion): Promise<CaptchaVerdict>;
};
