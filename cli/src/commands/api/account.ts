import type { OutputOf } from '@quipu/contract'
import { errorMessage } from '@quipu/core/values'
import { calling } from '../call.ts'
import { type CliCommand, type CommandContext, CommandFailed, UsageError } from '../command.ts'
import { type Column, dollars, done, indented, printList, printRecord, tableLines, utc } from '../output.ts'
import { commaSeparated, fileContent } from '../values.ts'

const which = { name: 'ID', about: 'Account id.', field: 'account_id' } as const
const amount = { name: 'AMOUNT', about: 'Dollars, in whole cents.' } as const
const once = {
  'idempotency-key': {
    placeholder: 'KEY',
    about: 'Your own key for this transfer. Repeating it moves nothing twice.',
    field: 'idempotency-key',
  },
} as const
const blocks = {
  placeholder: 'trading,transfers,account',
  about: 'What to block, separated by commas. Default: account (both).',
  field: 'blocks',
  value: commaSeparated,
} as const
const reason = { placeholder: 'TEXT', about: 'Reason, recorded with the event.' } as const
const positions = {
  placeholder: 'FILE|SYMBOL:QTY,…',
  about: 'Positions: a JSON file as GET /v2/positions returns it, or symbols with quantities.',
  value: holdings,
} as const

export const accountCommands: readonly CliCommand[] = [
  calling('listWorldAccounts', {
    name: 'account list',
    about: 'List the accounts of a world with cash, equity and positions, newest first.',
    flags: {
      query: {
        placeholder: 'WORDS',
        about: 'List accounts whose number, names or details have these words.',
      },
      limit: { placeholder: 'N', about: 'Number of accounts, at most 1000. Default: 100.' },
    },
    example: 'quipu account list',
    print: (context, accounts) => printList(context, accounts, accountTable(accounts), 'no accounts'),
  }),
  calling('getAccountById', {
    name: 'account show',
    about: 'Show one account: cash, equity, positions and keys.',
    arguments: [which],
    alsoCalls: ['getAccountForAccount', 'listPositionsForAccount', 'listAccountKeys'],
    example: 'quipu account show 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
    print: async (context, account, request) => {
      const client = context.operator()
      const [{ cash, equity, buying_power }, held, keys] = await Promise.all([
        client.getAccountForAccount(request),
        client.listPositionsForAccount(request),
        client.listAccountKeys(request),
      ])
      if (context.json)
        return printRecord(context, { ...account, cash, equity, buying_power, positions: held, keys })
      const worth = { cash: dollars(cash), equity: dollars(equity), buying_power: dollars(buying_power) }
      const { id, ...rest } = account
      printRecord(context, { id, ...worth, ...rest, keys })
      const table = indented(tableLines(held, positionTable, context.width - 2))
      context.print(held.length === 0 ? 'positions  none' : ['positions', ...table].join('\n'))
      return 0
    },
  }),
  calling('getAccountSnapshot', {
    name: 'account snapshot',
    about: 'Show an account at one instant: balances, positions and open orders that add up.',
    arguments: [which],
    flags: {
      symbols: { placeholder: 'A,B', about: 'Include prices of these symbols.', value: commaSeparated },
      curve: { placeholder: 'PERIOD', about: 'Include the equity curve: 1D, 1W, 1M, 3M, 1A or 10A.' },
      event: { placeholder: 'N', about: 'State after this event, one of the last 1000. Default: now.' },
      time: { placeholder: 'TIME', about: 'State at this instant.' },
    },
    example: 'quipu account snapshot 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --event 42 --json',
    print: (context, snapshot) => {
      if (context.json) return printRecord(context, snapshot)
      const { time, event, account, positions, open_orders, gain_today } = snapshot
      const { cash, long_market_value: long, short_market_value: short, equity, buying_power } = account
      const worth = {
        cash: dollars(cash),
        long: dollars(long),
        short: dollars(short),
        equity: dollars(equity),
      }
      const power = { gain_today: dollars(gain_today), buying_power: dollars(buying_power) }
      printRecord(context, { time, event, ...worth, ...power, open_orders })
      const table = indented(tableLines(positions, positionTable, context.width - 2))
      context.print(positions.length === 0 ? 'positions  none' : ['positions', ...table].join('\n'))
      return 0
    },
  }),
  calling('createAccount', {
    name: 'account create',
    about: 'Create an account with an API key. The secret is shown once.',
    flags: {
      cash: { placeholder: 'USD', about: 'Starting cash. Default: 0.' },
      positions,
      live: {
        about: 'Create a live account instead of a paper account.',
        field: 'flavour',
        value: () => 'live',
      },
      user: { placeholder: 'USER', about: 'Owner (user name or id).' },
      partner: {
        placeholder: 'PARTNER',
        about: 'Partner (id), such as that of an issuer for a custody account. Default: your own.',
        field: 'partner_id',
      },
      name: {
        placeholder: 'TEXT',
        about: 'Your own id. Reusing it returns the existing account.',
        field: 'client_account_id',
      },
    },
    otherFields: () => ({ flavour: 'paper' }),
    alsoCalls: ['createAccountKey'],
    example: 'quipu account create --cash 25000 --positions AAPL:10,KO:5',
    print: async (context, account, { headers }) => {
      const key = await context
        .operator()
        .createAccountKey({ headers, params: { account_id: account.id }, body: {} })
      return printRecord(context, { ...account, key_id: key.key_id, secret_key: key.secret_key })
    },
  }),
  calling('blockAccount', {
    name: 'account block',
    about: 'Block trading, transfers or both. Open orders can still be canceled.',
    arguments: [which],
    flags: { what: blocks, reason },
    example: 'quipu account block 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --what trading --reason review',
  }),
  calling('unblockAccount', {
    name: 'account unblock',
    about: 'Remove blocks from an account.',
    arguments: [which],
    flags: {
      what: { ...blocks, about: 'Which blocks to remove, separated by commas. Default: all.' },
      reason,
    },
    example: 'quipu account unblock 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
  }),
  calling('closeAccount', {
    name: 'account close',
    about: 'Close an account. Its cash goes to the bank.',
    arguments: [which],
    flags: {
      empty: { about: 'Cancel open orders and remove shares first. Default: refuse if there are any.' },
    },
    example: 'quipu account close 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --empty',
    print: done('ID', 'closed'),
  }),
  calling('createTransfer', {
    name: 'account deposit',
    about: 'Deposit money into an account.',
    arguments: [which, amount],
    flags: once,
    otherFields: () => ({ direction: 'INCOMING' }),
    example: 'quipu account deposit 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b 500',
  }),
  calling('createTransfer', {
    name: 'account withdraw',
    about: 'Withdraw money from an account.',
    arguments: [which, amount],
    flags: once,
    otherFields: () => ({ direction: 'OUTGOING' }),
    example: 'quipu account withdraw 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b 500',
  }),
  calling('resetAccount', {
    name: 'account reset',
    about: 'Cancel open orders and set cash and positions. Id, keys and history stay.',
    arguments: [which],
    flags: {
      cash: { placeholder: 'USD', about: 'New cash. Default: the starting cash of the world.' },
      positions,
    },
    example:
      'quipu account reset 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --cash 5000 --positions elsewhere.json',
  }),
]

type Listed = OutputOf<'listWorldAccounts'>[number]

/** The name column appears only if an account has a name. */
const nameColumn: Column<Listed> = ['NAME', ({ client_account_id: name }) => name, 10]
const accountTable = (accounts: readonly Listed[]): readonly Column<Listed>[] => [
  ['ID', ({ id }) => id],
  ['CASH', ({ cash }) => dollars(cash), 'right'],
  ['EQUITY', ({ equity }) => dollars(equity), 'right'],
  ['POSITIONS', (account) => account.positions, 'right'],
  ['KIND', kindOf, 5],
  ...(accounts.some(({ client_account_id: name }) => name !== undefined) ? [nameColumn] : []),
]

function kindOf({ flavour, closed_at: closed, blocks = [] }: Listed): string {
  if (closed !== undefined) return `${flavour}, closed ${utc(closed)?.slice(0, 10)}`
  return blocks.length > 0 ? `${flavour}, blocked` : flavour
}

/** `AAPL:10,KO:5`, or the name of a JSON file. The server checks the content. */
function holdings(text: string, flag: string): unknown {
  if (text.includes(':'))
    return text.split(',').map((word) => {
      const [symbol = '', qty = ''] = word.split(':')
      return { symbol, qty }
    })
  const content = fileContent(text, flag)
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new UsageError(`--${flag} ${text}: ${errorMessage(error)}`)
  }
}

/** The flag of commands for one account. */
export const accountFlag = {
  placeholder: 'ID',
  about: 'Account id. Default: the first account of the world.',
  field: 'account_id',
} as const

export const positionCommands: readonly CliCommand[] = [
  calling('listPositionsForAccount', {
    name: 'position list',
    about: 'List the positions of an account at current prices.',
    flags: { account: accountFlag },
    otherFields: accountIn,
    alsoCalls: ['getWorld'],
    example: 'quipu position list',
    print: (context, positions) => printList(context, positions, positionTable, 'no positions'),
  }),
]

type Position = OutputOf<'listPositionsForAccount'>[number]

const positionTable: readonly Column<Position>[] = [
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

/** The account that `--account` names, else the first account of the world. */
export async function accountIn({ operator, config: { world }, args }: CommandContext) {
  const account_id =
    args.get('account') ?? (await operator().getWorld({ params: { world } })).accounts[0]?.account_id
  if (account_id === undefined)
    throw new CommandFailed(`the world ${world} has no account: create one with \`quipu account create\``)
  return { account_id }
}
