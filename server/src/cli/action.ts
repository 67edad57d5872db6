import type { OutputOf } from '@quipu/contract'
import type { Command, Context } from './command.ts'
import { present } from './given.ts'
import { columns, recordLines } from './output.ts'

type Action = OutputOf<'createCorporateAction'>

export const actionCommands: readonly Command[] = [
  {
    name: 'action list',
    about: 'Lists corporate actions of a world by ex-date, those that happened and those that lie ahead.',
    operations: ['listCorporateActions'],
    example: 'quipu action list --world friday',
    run: async ({ operator, config: { world }, json, say }) => {
      const actions = await operator().listCorporateActions({ params: { world } })
      say(json ? JSON.stringify(actions) : columns(actions.map(actionRow)).join('\n') || 'no actions')
      return 0
    },
  },
  {
    name: 'action create',
    about: 'Plans a split, a dividend, a symbol change or a delisting; it happens as its ex-date begins.',
    arguments: [
      { name: 'TYPE', about: 'forward_split, reverse_split, cash_dividend, name_change or delisting.' },
      { name: 'SYMBOL', about: 'Whose shares.' },
      { name: 'EX_DATE', about: 'A trading day that has not begun in New York.' },
    ],
    flags: {
      'new-rate': { placeholder: 'N', about: 'Of a split: so many shares come…' },
      'old-rate': { placeholder: 'N', about: '…in the place of so many; 1 when left out.' },
      rate: { placeholder: 'DOLLARS', about: 'Of a dividend: for each share.' },
      'record-date': { placeholder: 'DATE', about: 'Of a dividend; its ex-date when left out.' },
      'payable-date': { placeholder: 'DATE', about: 'Of a dividend; its record date when left out.' },
      special: { about: 'A dividend out of the ordinary.' },
      'new-symbol': { placeholder: 'SYMBOL', about: 'Of a name change: what the shares are called then.' },
      price: { placeholder: 'DOLLARS', about: 'Of a delisting: paid for each share; nothing when left out.' },
    },
    operations: ['createCorporateAction'],
    example: 'quipu action create forward_split AAPL 2026-02-02 --new-rate 4 --world friday',
    run: async (context) => {
      const { operator, config, json, say } = context
      const call = { params: { world: config.world }, body: newAction(context) }
      const action = await operator().createCorporateAction(call)
      say(json ? JSON.stringify(action) : recordLines(action).join('\n'))
      return 0
    },
  },
  {
    name: 'action delete',
    about: 'Takes back a corporate action that has not happened.',
    arguments: [{ name: 'ID', about: 'Which one.' }],
    operations: ['deleteCorporateAction'],
    example: 'quipu action delete 5f0d7a52-0a4c-5d6e-9a43-0c1f7c1f3b20 --world friday',
    run: async ({ operator, config: { world }, given, json, say }) => {
      const id = given.get('ID')!
      await operator().deleteCorporateAction({ params: { world, action_id: id } })
      say(json ? JSON.stringify({ id, deleted: true }) : `${id} is taken back`)
      return 0
    },
  },
]

/** What a type needs, and does not need, is the server's to say. */
function newAction({ given }: Context) {
  const type = given.get('TYPE') as Action['type']
  const isSplit = type === 'forward_split' || type === 'reverse_split'
  return {
    type,
    symbol: given.get('SYMBOL')!,
    ex_date: given.get('EX_DATE')!,
    ...present({
      new_rate: given.get('new-rate'),
      old_rate: given.get('old-rate') ?? (isSplit ? '1' : undefined),
      rate: given.get('rate'),
      record_date: given.get('record-date'),
      payable_date: given.get('payable-date'),
      special: given.has('special') ? true : undefined,
      new_symbol: given.get('new-symbol'),
      price: given.get('price'),
    }),
  }
}

const actionRow = (action: Action): readonly string[] => [
  action.id,
  action.ex_date,
  action.status,
  action.symbol,
  action.type,
  termsOf(action),
]

function termsOf({ new_rate, old_rate, rate, payable_date, new_symbol, price }: Action): string {
  if (new_rate !== undefined) return `${new_rate} for ${old_rate}`
  if (rate !== undefined) return `${rate} a share on ${payable_date}`
  if (new_symbol !== undefined) return `to ${new_symbol}`
  return price === undefined ? 'for nothing' : `for ${price} a share`
}
