/** How the service asks Turnstile about a captcha. */
export type TurnstileSettings = {
  siteKey: string;
  secretKey: string;
  baseUrl: string;
  /** Hosts of pages whose tokens count; an empty list: all. */
  hostnames: readonly string[];
  /** The action that the page's widget must have been made for. Undefined: any. */
  action: string | undefined;
};
