import type { OutputOf } from '@quipu/contract'
import { calling } from '../call.ts'
import type { CliCommand } from '../command.ts'
import { type Column, done, printList } from '../output.ts'

type Action = OutputOf<'createCorporateAction'>

export const actionCommands: readonly CliCommand[] = [
  calling('listCorporateActions', {
    name: 'action list',
    about: 'List the corporate actions of a world by ex-date, past and planned.',
    example: 'quipu action list --world friday',
    print: (context, actions) => printList(context, actions, actionTable, 'no corporate actions'),
  }),
  // The server checks which fields a type needs.
  calling('createCorporateAction', {
    name: 'action create',
    about: 'Plan a split, dividend, symbol change or delisting for the start of its ex-date.',
    arguments: [
      { name: 'TYPE', about: 'forward_split, reverse_split, cash_dividend, name_change or delisting.' },
      { name: 'SYMBOL', about: 'Symbol of the shares.' },
      { name: 'EX_DATE', about: 'Trading day that has not begun in New York: 2026-02-02.' },
    ],
    flags: {
      'new-rate': { placeholder: 'N', about: 'Split: number of new shares…' },
      'old-rate': { placeholder: 'N', about: '…for this many old shares. Default: 1.' },
      rate: { placeholder: 'DOLLARS', about: 'Dividend: dollars per share.' },
      'record-date': { placeholder: 'DATE', about: 'Dividend: record date. Default: the ex-date.' },
      'payable-date': { placeholder: 'DATE', about: 'Dividend: payment date. Default: the record date.' },
      special: { about: 'Dividend: special, not regular.' },
      'new-symbol': { placeholder: 'SYMBOL', about: 'Name change: the new symbol.' },
      price: { placeholder: 'DOLLARS', about: 'Delisting: dollars paid per share. Default: 0.' },
    },
    otherFields: ({ args }) => (args.get('TYPE')?.endsWith('_split') ? { old_rate: '1' } : {}),
    example: 'quipu action create forward_split AAPL 2026-02-02 --new-rate 4 --world friday',
  }),
  calling('deleteCorporateAction', {
    name: 'action delete',
    about: 'Delete a corporate action that has not happened yet.',
    arguments: [{ name: 'ID', about: 'Id of the action.', field: 'action_id' }],
    example: 'quipu action delete 5f0d7a52-0a4c-5d6e-9a43-0c1f7c1f3b20 --world friday',
    print: done('ID', 'deleted'),
  }),
]

const actionTable: readonly Column<Action>[] = [
  ['ID', ({ id }) => id],
  ['EX-DATE', ({ ex_date: date }) => date],
  ['SYMBOL', ({ symbol }) => symbol],
  ['TYPE', ({ type }) => type],
  ['STATUS', ({ status }) => status],
  ['TERMS', termsOf, 10],
]

function termsOf({ new_rate, old_rate, rate, payable_date, new_symbol, price }: Action): string {
  if (new_rate !== undefined) return `${new_rate} for ${old_rate}`
  if (rate !== undefined) return `${rate} a share on ${payable_date}`
  if (new_symbol !== undefined) return `to ${new_symbol}`
  return price === undefined ? 'pays nothing' : `pays ${price} a share`
}
