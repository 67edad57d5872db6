import type { Output } from '@quipu/sdk'
import { priceText, quantityText } from './amounts.ts'

type Activity = Output<'listActivities'>[number]
type Fill = Extract<Activity, { readonly transaction_time: string }>
type OtherActivity = Exclude<Activity, Fill>
type ActivityType = OtherActivity['activity_type']

/** An activity in the words of people. The type of the API belongs into a tooltip. */
export type ActivityWords = {
  /** `Bought`, `Deposit`. */
  readonly verb: string
  /** `45 AAPL`, `KO`, or nothing. */
  readonly what: string
  /** `at 206.43`, or nothing. */
  readonly rest: string
}

/** One word, or one for money that comes in and one for money that goes out. */
type Words = string | { readonly in: string; readonly out: string }

const words: Readonly<Record<ActivityType, Words>> = {
  FILL: 'Fill',
  TRANS: { in: 'Deposit', out: 'Withdrawal' },
  MISC: 'Other',
  ACATC: { in: 'Cash from another broker', out: 'Cash to another broker' },
  ACATS: 'Shares between brokers',
  CFEE: 'Crypto fee',
  CGD: 'Capital gain',
  CIL: 'Cash in place of shares',
  CSD: 'Deposit',
  CSW: 'Withdrawal',
  DIV: { in: 'Dividend', out: 'Dividend paid on a short position' },
  DIVCGL: 'Capital gain, long term',
  DIVCGS: 'Capital gain, short term',
  DIVFEE: 'Dividend fee',
  DIVFT: 'Tax on a foreign dividend',
  DIVNRA: 'Tax on a dividend, non-resident',
  DIVROC: 'Return of capital',
  DIVTW: 'Tax on a dividend',
  DIVTXEX: 'Dividend, tax exempt',
  DIVWH: 'Tax on a dividend',
  EXTRD: 'Trade elsewhere',
  FEE: 'Fee',
  FOPT: 'Free of payment',
  FXTRD: 'Currency exchange',
  INT: { in: 'Interest received', out: 'Interest' },
  INTNRA: 'Tax on interest, non-resident',
  INTPNL: 'Interest adjustment',
  INTTW: 'Tax on interest',
  JNL: { in: 'Deposit', out: 'Withdrawal' },
  JNLC: { in: 'Deposit', out: 'Withdrawal' },
  JNLS: 'Shares moved between accounts',
  MA: 'Merger',
  MEM: 'Note',
  NC: 'New symbol',
  OCT: 'Credit transfer',
  OPASN: 'Option assigned',
  OPCA: 'Option adjusted',
  OPCSH: 'Option settled in cash',
  OPEXC: 'Option exercised',
  OPEXP: 'Option expired',
  OPTRD: 'Shares of an option',
  PTC: 'Pass-through charge',
  PTR: 'Pass-through rebate',
  REO: 'Reorganization',
  REORG: 'Reorganization',
  SPIN: 'Spin-off',
  SPLIT: 'Split',
  SWP: 'Cash sweep',
  VOF: 'Offer',
  WH: 'Tax withheld',
}

/** Parts of a type that have words of their use. */
const subTypes: Readonly<Record<string, string>> = {
  REG: 'SEC fee',
  TAF: 'FINRA fee',
  CAT: 'Audit trail fee',
  SDIV: 'Stock dividend',
  SPD: 'Special dividend',
  RSPLIT: 'Reverse split',
  WRM: 'Worthless',
  MGN: 'Margin interest',
}

export const isFillActivity = (activity: Activity): activity is Fill => 'transaction_time' in activity

/** `Bought 45 AAPL at 206.43`, `Deposit`, `Dividend KO`. */
export function activityText(activity: Activity): string {
  const { verb, what, rest } = activityWords(activity)
  return [verb, what, rest].filter(Boolean).join(' ')
}

/** The parts of the sentence, to emphasize one of them. */
export function activityWords(activity: Activity): ActivityWords {
  if (isFillActivity(activity)) {
    const { side, qty, symbol, price } = activity
    return {
      verb: side === 'buy' ? 'Bought' : 'Sold',
      what: `${quantityText(qty)} ${symbol}`,
      rest: `at ${priceText(price)}`,
    }
  }
  const { activity_type: type, activity_sub_type: sort, net_amount: amount, symbol = '' } = activity
  const word = (sort !== undefined && subTypes[sort]) || words[type]
  return {
    verb: typeof word === 'string' ? word : amount.startsWith('-') ? word.out : word.in,
    what: symbol,
    rest: '',
  }
}
