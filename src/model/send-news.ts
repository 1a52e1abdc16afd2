import type { Send, SendAttempt, SendChange } from './send.ts';

/** What one transaction wrote of sends. Told after its commit. */
export type SendNews = {
  accepted: Send[];
  changed: { seen: Send; change: SendChange; at: number }[];
  attempts: SendAttempt[];
  /** What sponsored sends came to, by the send's id, in micro-USD. */
  cost: Map<string, number>;
};
