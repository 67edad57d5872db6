import type { AccountActivity, ActivityContent } from '../account/activity.ts'
import { format, NO_MONEY, negate, sizeOf, subtract, toMoney } from '../amount.ts'
import { definedFields } from '../defined-fields.ts'
import type { DividendPaid, SharesChanged } from './events.ts'

/** The activities of a corporate action. */
export function actionActivities(event: SharesChanged | DividendPaid): readonly AccountActivity[] {
  const { accountId } = event
  const rows = event.kind === 'dividendPaid' ? [dividend(event)] : changed(event)
  return rows.map((row) => ({ accountId, activity: { ...row, groupId: event.actionId } }))
}

const dividend = ({ symbol, amount, rate, special, quantity }: DividendPaid): ActivityContent => ({
  kind: 'dividend',
  sort: special ? 'specialDividend' : 'cashDividend',
  cash: amount,
  symbol,
  shares: quantity,
  perShare: toMoney(rate),
  description: `${special ? 'Special cash' : 'Cash'} dividend of ${symbol}, ${format(rate)} a share for ${format(quantity)} shares`,
})

/** Shares received and removed; a fraction paid in cash is part of the same row. */
function changed(event: SharesChanged): readonly ActivityContent[] {
  const { symbol, newSymbol, before, after, cash, price } = event
  const priced = definedFields({ price })
  switch (event.why) {
    case 'split': {
      const isForward = sizeOf(after) > sizeOf(before)
      const quantity = subtract(after, before)
      const sort = isForward ? 'forwardSplit' : 'reverseSplit'
      const name = isForward ? 'Forward' : 'Reverse'
      const description = `${name} split of ${symbol}, from ${format(before)} to ${format(after)} shares${paidFor(event)}`
      return [{ kind: 'split', sort, cash, symbol, quantity, ...priced, description }]
    }
    case 'symbolChange': {
      const description = `Symbol change from ${symbol} to ${newSymbol}`
      const common = { kind: 'nameChange', sort: 'symbolChange', cash: NO_MONEY, description } as const
      return [
        { ...common, symbol, quantity: negate(before) },
        { ...common, symbol: newSymbol ?? symbol, quantity: after },
      ]
    }
    case 'delisting': {
      const sort = price === undefined ? ({ sort: 'worthless' } as const) : {}
      const quantity = negate(before)
      const description = `Delisting of ${symbol}, ${price === undefined ? 'worthless' : `paid at ${format(price)} a share`}`
      return [{ kind: 'reorganization', ...sort, cash, symbol, quantity, ...priced, description }]
    }
  }
}

const paidFor = ({ cash, price }: SharesChanged): string =>
  cash === NO_MONEY || price === undefined ? '' : `, a fraction paid at ${format(price)} a share`
