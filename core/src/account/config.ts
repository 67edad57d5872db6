/** Settings that the account's owner chooses. */
export type AccountConfig = {
  /** Fractional quantities and notional orders. */
  readonly fractionalTrading: boolean
  /** Maximum margin multiplier; 1 means no margin. */
  readonly maxMarginMultiplier: 1 | 2 | 4
  readonly noShorting: boolean
  /** Reject new orders. */
  readonly suspendTrade: boolean
  readonly tradeConfirmEmail: 'all' | 'none'
  readonly ptpNoExceptionEntry: boolean
  /** Absent: the level that the account is approved for. */
  readonly maxOptionsTradingLevel?: 0 | 1 | 2 | 3
  readonly disableOvernightTrading: boolean
}

export const DEFAULT_CONFIG: AccountConfig = {
  fractionalTrading: true,
  maxMarginMultiplier: 4,
  noShorting: false,
  suspendTrade: false,
  tradeConfirmEmail: 'all',
  ptpNoExceptionEntry: false,
  disableOvernightTrading: false,
}

export const configOf = ({ config }: { readonly config?: AccountConfig }): AccountConfig =>
  config ?? DEFAULT_CONFIG
