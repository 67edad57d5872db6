import { readFileSync } from 'node:fs'
import type { OutputOf } from '@quipu/contract'
import { definedFields } from '@quipu/core/values'
import { type Command, type Context, Failed, UsageError } from '../command.ts'
import { type Column, dollars, indented, printList, printRecord, tableLines, utc } from '../output.ts'

const which = { name: 'ID', about: 'Account id.' } as const
const amount = { name: 'AMOUNT', about: 'Dollars, in whole cents.' } as const
const once = {
  'idempotency-key': {
    placeholder: 'KEY',
    about: 'Your own key for this transfer. Repeating it moves nothing twice.',
  },
} as const
const blocks = {
  placeholder: 'trading,transfers,account',
  about: 'What to block, separated by commas. Default: account (both).',
} as const
const reason = { placeholder: 'TEXT', about: 'Reason, recorded with the event.' } as const
const positions = {
  placeholder: 'FILE|SYMBOL:QTY,…',
  about: 'Positions: a JSON file as GET /v2/positions returns it, or symbols with quantities.',
} as const

export const accountCommands: readonly Command[] = [
  {
    name: 'account list',
    about: 'List the accounts of a world with cash, equity and positions, newest first.',
    flags: {
      query: {
        placeholder: 'WORDS',
        about: 'List accounts whose number, names or details have these words.',
      },
      limit: { placeholder: 'N', about: 'Number of accounts, at most 1000. Default: 100.' },
    },
    operations: ['listWorldAccounts'],
    example: 'quipu account list',
    run: async (context) => {
      const { operator, args, config } = context
      const query = definedFields({ query: args.get('query'), limit: args.get('limit') })
      const accounts = await operator().listWorldAccounts({ params: { world: config.world }, query })
      return printList(context, accounts, accountTable(accounts), 'no accounts')
    },
  },
  {
    name: 'account show',
    about: 'Show one account: cash, equity, positions and keys.',
    arguments: [which],
    operations: ['getAccountById', 'getAccountForAccount', 'listPositionsForAccount', 'listAccountKeys'],
    example: 'quipu account show 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
    run: async (context) => {
      const call = ofAccount(context)
      const client = context.operator()
      const [account, { cash, equity, buying_power }, held, keys] = await Promise.all([
        client.getAccountById(call),
        client.getAccountForAccount(call),
        client.listPositionsForAccount(call),
        client.listAccountKeys(call),
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
  },
  {
    name: 'account create',
    about: 'Create an account with an API key. The secret is shown once.',
    flags: {
      cash: { placeholder: 'USD', about: 'Starting cash. Default: 0.' },
      positions,
      live: { about: 'Create a live account instead of a paper account.' },
      user: { placeholder: 'USER', about: 'Owner (user name or id).' },
      name: { placeholder: 'TEXT', about: 'Your own id. Reusing it returns the existing account.' },
    },
    operations: ['createAccount', 'createAccountKey'],
    example: 'quipu account create --cash 25000 --positions AAPL:10,KO:5',
    run: async (context) => {
      const { operator, args } = context
      const body = {
        flavour: args.has('live') ? ('live' as const) : ('paper' as const),
        ...definedFields({
          cash: args.get('cash'),
          client_account_id: args.get('name'),
          user: args.get('user'),
        }),
        ...holdings(context),
      }
      const account = await operator().createAccount({ ...inWorld(context), body })
      const params = { account_id: account.id }
      const key = await operator().createAccountKey({ ...inWorld(context), params, body: {} })
      return printRecord(context, { ...account, key_id: key.key_id, secret_key: key.secret_key })
    },
  },
  {
    name: 'account block',
    about: 'Block trading, transfers or both. Open orders can still be canceled.',
    arguments: [which],
    flags: { what: blocks, reason },
    operations: ['blockAccount'],
    example: 'quipu account block 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --what trading --reason review',
    run: async (context) =>
      printRecord(
        context,
        await context.operator().blockAccount({ ...ofAccount(context), body: blockOf(context) }),
      ),
  },
  {
    name: 'account unblock',
    about: 'Remove blocks from an account.',
    arguments: [which],
    flags: {
      what: { ...blocks, about: 'Which blocks to remove, separated by commas. Default: all.' },
      reason,
    },
    operations: ['unblockAccount'],
    example: 'quipu account unblock 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
    run: async (context) =>
      printRecord(
        context,
        await context.operator().unblockAccount({ ...ofAccount(context), body: blockOf(context) }),
      ),
  },
  {
    name: 'account close',
    about: 'Close an account. Its cash goes to the bank.',
    arguments: [which],
    flags: {
      empty: { about: 'Cancel open orders and remove shares first. Default: refuse if there are any.' },
    },
    operations: ['closeAccount'],
    example: 'quipu account close 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --empty',
    run: async (context) => {
      const { operator, args, json, print } = context
      const id = args.get('ID')!
      await operator().closeAccount({ ...ofAccount(context), query: { empty: args.has('empty') } })
      print(json ? JSON.stringify({ id, closed: true }) : `${id} is closed`)
      return 0
    },
  },
  {
    name: 'account deposit',
    about: 'Deposit money into an account.',
    arguments: [which, amount],
    flags: once,
    operations: ['createTransfer'],
    example: 'quipu account deposit 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b 500',
    run: (context) => transfer(context, 'INCOMING'),
  },
  {
    name: 'account withdraw',
    about: 'Withdraw money from an account.',
    arguments: [which, amount],
    flags: once,
    operations: ['createTransfer'],
    example: 'quipu account withdraw 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b 500',
    run: (context) => transfer(context, 'OUTGOING'),
  },
  {
    name: 'account reset',
    about: 'Cancel open orders and set cash and positions. Id, keys and history stay.',
    arguments: [which],
    flags: {
      cash: { placeholder: 'USD', about: 'New cash. Default: the starting cash of the world.' },
      positions,
    },
    operations: ['resetAccount'],
    example:
      'quipu account reset 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --cash 5000 --positions elsewhere.json',
    run: async (context) => {
      const { operator, args } = context
      const body = { ...definedFields({ cash: args.get('cash') }), ...holdings(context) }
      return printRecord(context, await operator().resetAccount({ ...ofAccount(context), body }))
    },
  },
]

const inWorld = ({ config }: Context) => ({ headers: { 'x-quipu-world': config.world } })
const ofAccount = (context: Context) => ({
  ...inWorld(context),
  params: { account_id: context.args.get('ID')! },
})

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

async function transfer(context: Context, direction: 'INCOMING' | 'OUTGOING'): Promise<0> {
  const body = { direction, amount: context.args.get('AMOUNT')! }
  const { headers, params } = ofAccount(context)
  const key = definedFields({ 'idempotency-key': context.args.get('idempotency-key') })
  const call = { params, headers: { ...headers, ...key }, body }
  return printRecord(context, await context.operator().createTransfer(call))
}

type Kind = 'trading' | 'transfers' | 'account'

/** The server checks the names of the blocks. */
const blockOf = ({ args }: Context) =>
  definedFields({ blocks: args.get('what')?.split(',') as Kind[] | undefined, reason: args.get('reason') })

type Held = { readonly symbol: string; readonly qty: string }

/** `AAPL:10,KO:5`, or the name of a file. */
function holdings({ args }: Context): { readonly positions?: readonly Held[] } {
  const text = args.get('positions')
  if (text === undefined) return {}
  if (!text.includes(':')) return { positions: fileOf(text) }
  return {
    positions: text.split(',').map((word) => {
      const [symbol = '', qty = ''] = word.split(':')
      return { symbol, qty }
    }),
  }
}

/** The server checks the content. */
function fileOf(name: string): readonly Held[] {
  try {
    return JSON.parse(readFileSync(name, 'utf8')) as readonly Held[]
  } catch (error) {
    throw new UsageError(`--positions ${name}: ${(error as Error).message}`)
  }
}

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

/** The call for the account that `--account` names, else for the first account of the world. */
export async function accountIn({ operator, config: { world }, args }: Context) {
  const account_id =
    args.get('account') ?? (await operator().getWorld({ params: { world } })).accounts[0]?.account_id
  if (account_id === undefined)
    throw new Failed(`the world ${world} has no account: create one with \`quipu account create\``)
  return { headers: { 'x-quipu-world': world }, params: { account_id } }
}
