import type { InputOf, OutputOf } from '@quipu/contract'
import {
  type ActionField,
  type ActionTerms,
  type CorporateAction,
  definedFields,
  effectiveAt,
  entryIn,
  format,
  formatInstant,
  isReverse,
  missing,
  type Refusal,
  toPrice,
} from '@quipu/core'
import { amountOf } from '../../wire/amounts.ts'
import { type Refused, refuse } from '../../wire/refusal.ts'
import { withWorld } from './world-named.ts'

type NewAction = InputOf<'createCorporateAction'>['body']
type ActionRecord = OutputOf<'createCorporateAction'>

export const corporateActionHandlers = withWorld({
  listCorporateActions: ({ world }, context) =>
    context.state.read(world, ({ actions }) =>
      [...actions.values()].sort((a, b) => (a.exDate < b.exDate ? -1 : 1)).map(actionToWire),
    ),
  createCorporateAction: ({ world, body }, context) =>
    context.state.perform(
      world,
      {
        kind: 'scheduleAction',
        symbol: body.symbol,
        exDate: body.ex_date,
        terms: termsOf(body),
      },
      (view, [event]) => {
        if (event?.kind !== 'actionScheduled') throw new Error('bug: scheduleAction recorded no action')
        return actionToWire(entryIn(view.actions, event.action.id))
      },
      refusalOf,
    ),
  deleteCorporateAction: async ({ world, params }, context) => {
    const decision = await context.state.submit(world, {
      kind: 'cancelAction',
      actionId: params.action_id,
    })
    if (!decision.ok) throw refusalOf(decision.reason)
  },
})

const fields: Record<ActionField, string> = {
  symbol: 'symbol',
  exDate: 'ex_date',
  newRate: 'new_rate',
  oldRate: 'old_rate',
  rate: 'rate',
  recordDate: 'record_date',
  payDate: 'payable_date',
  newSymbol: 'new_symbol',
  price: 'price',
}

const refusalOf = (reason: Refusal): Refused =>
  refuse(reason.code === 'actionInvalid' ? { ...reason, field: fields[reason.field] } : reason)

/** The contract checks the required fields of each type; other fields have defaults. */
function termsOf(input: NewAction): ActionTerms {
  switch (input.type) {
    case 'forward_split':
    case 'reverse_split': {
      const terms = {
        kind: 'split',
        newRate: amount(input.new_rate),
        oldRate: amount(input.old_rate),
      } as const
      if (terms.newRate !== terms.oldRate && isReverse(terms) !== (input.type === 'reverse_split'))
        throw refuse({
          code: 'actionInvalid',
          field: 'new_rate',
          rule: `must be ${isReverse(terms) ? 'more' : 'less'} than old_rate, since the type is ${input.type}`,
        })
      return terms
    }
    case 'cash_dividend': {
      const recordDate = input.record_date ?? input.ex_date
      return {
        kind: 'dividend',
        rate: toPrice(amount(input.rate)),
        recordDate,
        payDate: input.payable_date ?? recordDate,
        special: input.special ?? false,
      }
    }
    case 'name_change':
      return { kind: 'symbolChange', newSymbol: input.new_symbol ?? missing('new_symbol') }
    case 'delisting':
      return {
        kind: 'delisting',
        ...definedFields({ price: input.price === undefined ? undefined : toPrice(amount(input.price)) }),
      }
  }
}

const amount = (decimal = ''): bigint => amountOf(decimal)

/** The action type of the protocol. */
export function actionTypeOf(action: CorporateAction): ActionRecord['type'] {
  switch (action.kind) {
    case 'split':
      return isReverse(action) ? 'reverse_split' : 'forward_split'
    case 'dividend':
      return 'cash_dividend'
    case 'symbolChange':
      return 'name_change'
    case 'delisting':
      return 'delisting'
  }
}

function actionToWire(action: CorporateAction): ActionRecord {
  return {
    id: action.id,
    type: actionTypeOf(action),
    symbol: action.symbol,
    status: action.appliedAt === undefined ? 'scheduled' : 'applied',
    ex_date: action.exDate,
    effective_at: formatInstant(effectiveAt(action)),
    created_at: formatInstant(action.createdAt),
    applied_at: action.appliedAt === undefined ? undefined : formatInstant(action.appliedAt),
    ...termsToWire(action),
  }
}

function termsToWire(action: CorporateAction): Partial<ActionRecord> {
  switch (action.kind) {
    case 'split':
      return { new_rate: format(action.newRate), old_rate: format(action.oldRate) }
    case 'dividend':
      return {
        rate: format(action.rate),
        special: action.special,
        record_date: action.recordDate,
        payable_date: action.payDate,
      }
    case 'symbolChange':
      return { new_symbol: action.newSymbol }
    case 'delisting':
      return { price: action.price === undefined ? undefined : format(action.price) }
  }
}
