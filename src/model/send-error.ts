/** One reverted call, in the form that callers see. */
export type RevertChainEntry = {
  address: string;
  errorType: 'unknown' | 'native' | 'custom';
  displayMessage: string;
  unknown?: { selector: string; data: string };
  native?: { nativeType: 'error_string' | 'panic' | 'execution_reverted'; message: string; panicCode?: string };
  custom?: { errorName: string; paramsJson: string };
};

export type SolanaFailureDetails = {
  source: string;
  rpcCode?: number;
  rpcMessage?: string;
  transactionErrorJson?: string;
  logs: string[];
  unitsConsumed?: string;
  innerInstructionsJson?: string;
};

/** Why a send failed, or why its transaction reverted. `revertChain`: the outermost call first. */
export type SendError = { message: string; revertChain?: RevertChainEntry[]; solana?: SolanaFailureDetails };
