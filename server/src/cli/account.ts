import { readFileSync } from 'node:fs'
import type { BrokerAccountRecord } from '@quipu/contract'
import { type Command, type Context, UsageError } from './command.ts'
import { present } from './given.ts'
import { columns, recordLines } from './output.ts'

const which = { name: 'ID', about: 'Which account.' } as const
const dollars = { name: 'AMOUNT', about: 'Dollars, in whole cents.' } as const
const once = {
  'idempotency-key': {
    placeholder: 'KEY',
    about: 'A name of your own for this one movement: asked for again, nothing moves twice.',
  },
} as const
const blocks = {
  placeholder: 'trading,transfers,account',
  about: 'What is forbidden, with commas; account means both, and is meant when left out.',
} as const
const reason = { placeholder: 'TEXT', about: 'Why; kept with the event.' } as const
const positions = {
  placeholder: 'FILE|SYMBOL:QTY,…',
  about:
    'A file of JSON as GET /v2/positions answers, here or elsewhere; or symbols, each with its quantity.',
} as const

export const accountCommands: readonly Command[] = [
  {
    name: 'account list',
    about: 'Lists the accounts of a world, newest first.',
    flags: { query: { placeholder: 'WORDS', about: 'Only those of which these words are told.' } },
    operations: ['listAccounts'],
    example: 'quipu account list',
    run: async (context) => {
      const { operator, given, json, say } = context
      const query = present({ query: given.get('query') })
      const accounts = await operator().listAccounts({ ...inWorld(context), query })
      say(json ? JSON.stringify(accounts) : columns(accounts.map(accountRow)).join('\n'))
      return 0
    },
  },
  {
    name: 'account show',
    about: 'Shows one account and its keys.',
    arguments: [which],
    operations: ['getAccountById', 'listAccountKeys'],
    example: 'quipu account show 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
    run: async (context) => {
      const call = ofAccount(context)
      const account = await context.operator().getAccountById(call)
      const keys = await context.operator().listAccountKeys(call)
      return shown(context, { ...account, keys })
    },
  },
  {
    name: 'account create',
    about: 'Opens an account and shows it with a key, whose secret is told once.',
    flags: {
      cash: { placeholder: 'USD', about: 'What it begins with; nothing when left out.' },
      positions,
      live: { about: 'A live account, not a paper one.' },
      user: { placeholder: 'USER', about: 'Whose it is: the name or id of a person.' },
      name: { placeholder: 'TEXT', about: 'A name of your own: the same again is the same account.' },
    },
    operations: ['createAccount', 'createAccountKey'],
    example: 'quipu account create --cash 25000 --positions AAPL:10,KO:5',
    run: async (context) => {
      const { operator, given } = context
      const body = {
        flavour: given.has('live') ? ('live' as const) : ('paper' as const),
        ...present({
          cash: given.get('cash'),
          client_account_id: given.get('name'),
          user: given.get('user'),
        }),
        ...holdings(context),
      }
      const account = await operator().createAccount({ ...inWorld(context), body })
      const params = { account_id: account.id }
      const key = await operator().createAccountKey({ ...inWorld(context), params, body: {} })
      return shown(context, { ...account, key_id: key.key_id, secret_key: key.secret_key })
    },
  },
  {
    name: 'account block',
    about: 'Forbids an account to trade, to transfer money and shares, or both; open orders can be canceled.',
    arguments: [which],
    flags: { what: blocks, reason },
    operations: ['blockAccount'],
    example: 'quipu account block 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --what trading --reason review',
    run: async (context) =>
      shown(
        context,
        await context.operator().blockAccount({ ...ofAccount(context), body: blockOf(context) }),
      ),
  },
  {
    name: 'account unblock',
    about: 'Allows an account again what it was forbidden.',
    arguments: [which],
    flags: {
      what: { ...blocks, about: 'Which blocks are lifted, with commas; all, when left out.' },
      reason,
    },
    operations: ['unblockAccount'],
    example: 'quipu account unblock 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b',
    run: async (context) =>
      shown(
        context,
        await context.operator().unblockAccount({ ...ofAccount(context), body: blockOf(context) }),
      ),
  },
  {
    name: 'account close',
    about: 'Closes an account: its cash leaves for the bank, and nothing happens in it any more.',
    arguments: [which],
    flags: { empty: { about: 'Cancels open orders and takes shares out too; else it must have neither.' } },
    operations: ['closeAccount'],
    example: 'quipu account close 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --empty',
    run: async (context) => {
      const { operator, given, json, say } = context
      const id = given.get('ID')!
      await operator().closeAccount({ ...ofAccount(context), query: { empty: given.has('empty') } })
      say(json ? JSON.stringify({ id, closed: true }) : `${id} is closed`)
      return 0
    },
  },
  {
    name: 'account deposit',
    about: 'Brings money into an account.',
    arguments: [which, dollars],
    flags: once,
    operations: ['createTransfer'],
    example: 'quipu account deposit 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b 500',
    run: (context) => transfer(context, 'INCOMING'),
  },
  {
    name: 'account withdraw',
    about: 'Takes money out of an account.',
    arguments: [which, dollars],
    flags: once,
    operations: ['createTransfer'],
    example: 'quipu account withdraw 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b 500',
    run: (context) => transfer(context, 'OUTGOING'),
  },
  {
    name: 'account reset',
    about: 'Cancels what is open and sets cash and positions; id, keys and history stay.',
    arguments: [which],
    flags: {
      cash: {
        placeholder: 'USD',
        about: "What it has from then on; what the world's accounts begin with, when left out.",
      },
      positions,
    },
    operations: ['resetAccount'],
    example:
      'quipu account reset 5e1c2a90-3d4b-4f6e-8a7b-9c0d1e2f3a4b --cash 5000 --positions elsewhere.json',
    run: async (context) => {
      const { operator, given } = context
      const body = { ...present({ cash: given.get('cash') }), ...holdings(context) }
      return shown(context, await operator().resetAccount({ ...ofAccount(context), body }))
    },
  },
]

const inWorld = ({ config }: Context) => ({ headers: { 'x-quipu-world': config.world } })
const ofAccount = (context: Context) => ({
  ...inWorld(context),
  params: { account_id: context.given.get('ID')! },
})

const accountRow = (account: BrokerAccountRecord): readonly string[] => [
  account.id,
  account.account_number,
  account.flavour,
  account.status,
  account.last_equity,
  account.client_account_id ?? '-',
]

async function transfer(context: Context, direction: 'INCOMING' | 'OUTGOING'): Promise<0> {
  const body = { direction, amount: context.given.get('AMOUNT')! }
  const { headers, params } = ofAccount(context)
  const key = present({ 'idempotency-key': context.given.get('idempotency-key') })
  const call = { params, headers: { ...headers, ...key }, body }
  return shown(context, await context.operator().createTransfer(call))
}

type Kind = 'trading' | 'transfers' | 'account'

/** Whether these are names of blocks is the server's to judge. */
const blockOf = ({ given }: Context) =>
  present({ blocks: given.get('what')?.split(',') as Kind[] | undefined, reason: given.get('reason') })

type Held = { readonly symbol: string; readonly qty: string }

/** `AAPL:10,KO:5`, or the name of a file. */
function holdings({ given }: Context): { readonly positions?: readonly Held[] } {
  const text = given.get('positions')
  if (text === undefined) return {}
  if (!text.includes(':')) return { positions: fileOf(text) }
  return {
    positions: text.split(',').map((word) => {
      const [symbol = '', qty = ''] = word.split(':')
      return { symbol, qty }
    }),
  }
}

/** Whatever stands in it is the server's to judge. */
function fileOf(name: string): readonly Held[] {
  try {
    return JSON.parse(readFileSync(name, 'utf8')) as readonly Held[]
  } catch (error) {
    throw new UsageError(`--positions ${name}: ${(error as Error).message}`)
  }
}

function shown({ json, say }: Context, record: object): 0 {
  say(json ? JSON.stringify(record) : recordLines(record as Record<string, unknown>).join('\n'))
  return 0
}
