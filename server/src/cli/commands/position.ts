import type { OutputOf } from '@quipu/contract'
import type { Command } from '../command.ts'
import { type Column, dollars, printList } from '../output.ts'
import { accountIn } from './first-account.ts'

export const positionCommands: readonly Command[] = [
  {
    name: 'position list',
    about: 'List the positions of an account at current prices.',
    flags: { account: { placeholder: 'ID', about: 'Account id. Default: the first account of the world.' } },
    operations: ['listPositionsForAccount', 'getWorld'],
    example: 'quipu position list',
    run: async (context) => {
      const positions = await context.operator().listPositionsForAccount(await accountIn(context))
      return printList(context, positions, positionTable, 'no positions')
    },
  },
]

type Position = OutputOf<'listPositionsForAccount'>[number]

export const positionTable: readonly Column<Position>[] = [
  ['SYMBOL', ({ symbol }) => symbol],
  ['QTY', ({ qty }) => qty, 'right'],
  ['ENTRY', ({ avg_entry_price: price }) => priceText(price), 'right'],
  ['PRICE', ({ current_price: price }) => priceText(price), 'right'],
  ['VALUE', ({ market_value: value }) => dollars(value), 'right'],
  ['GAIN', ({ unrealized_pl: gain }) => dollars(gain), 'right'],
  ['GAIN %', ({ unrealized_plpc: part }) => part && (Number(part) * 100).toFixed(2), 'right'],
]

/** An average can have nine places; four are enough to read. */
const priceText = (price: string | null): string | undefined =>
  price === null ? undefined : price.replace(/(\.\d{4})\d+$/, '$1')
