import type { Send, SendAttempt, SendChange } from './send.ts';

/** The changes that one transaction made to sends. Reported after its commit. */
export type SendNews = {
  accepted: Send[];
  changed: { seen: Send; change: SendChange; at: number }[];
  attempts: SendAttempt[];
  /** The costs of sponsored sends in micro-USD, by the send's id. */
  cost: Map<string, number>;
};
